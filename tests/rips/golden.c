#include "rips/golden.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/files.h"

const char *golden_path(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "tests/rips/golden/%s", name);
    return path;
}

static int compare(const void *a, const void *b) {
    const golden_interval *x = a, *y = b;
    if (x->birth != y->birth) return x->birth < y->birth ? -1 : 1;
    return (x->death > y->death) - (x->death < y->death);
}

void golden_sort(golden_interval *list, size_t count) { qsort(list, count, sizeof *list, compare); }

/* " [birth,death)", where death may be blank. */
static golden_interval interval(const char *path, const char *line) {
    char *end;
    golden_interval i = {strtof(line + strspn(line, " ["), &end), INFINITY};
    IO_HOLDS(strncmp(line, " [", 2) == 0 && *end == ',', "%s: '%s' is no interval", path, line);
    if (strcmp(end, ", )") != 0) i.death = strtof(end + 1, &end);
    else end += 2;
    IO_HOLDS(strcmp(end, ")") == 0, "%s: '%s' is no interval", path, line);
    return i;
}

golden_interval *golden_intervals(const char *name, int dim, size_t *count) {
    size_t bytes;
    int at = -1, found = 0;
    const char *path = golden_path(name);
    char *text = files_load(path, &bytes), *rest = NULL;
    golden_interval *list = malloc((bytes + 1) * sizeof *list);
    *count = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (sscanf(line, "persistence intervals in dim %d:", &at) == 1) found += at == dim;
        else if (at == dim) list[(*count)++] = interval(path, line);
    }
    IO_HOLDS(found == 1, "%s has dimension %d %d times", path, dim, found);
    free(text);
    golden_sort(list, *count);
    return list;
}

golden_pair *golden_pairs(const char *name, size_t *count) {
    size_t bytes;
    char *text = files_load(golden_path(name), &bytes), *rest = NULL;
    golden_pair *list = malloc((bytes + 1) * sizeof *list);
    *count = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        golden_pair *p = &list[(*count)++];
        p->died = UINT64_MAX;
        int fields = sscanf(line, "%d %" SCNu64 " %" SCNu64, &p->dim, &p->born, &p->died);
        IO_HOLDS(fields >= 2, "%s: '%s' is no pair", name, line);
    }
    free(text);
    return list;
}

/* Every number of a file, whatever stands between them; *width: how many there are on its first line. */
static float *numbers(const char *path, size_t *count, size_t *width) {
    size_t bytes;
    char *text = files_load(path, &bytes), *at = text, *end;
    const char *first = text + strcspn(text, "\n");
    float *list = malloc((bytes + 1) * sizeof *list);
    *count = *width = 0;
    while (*(at += strspn(at, ", \n"))) {
        list[(*count)++] = strtof(at, &end);
        IO_HOLDS(end != at, "%s: no number: '%.20s'", path, at);
        at = end;
        if (at <= first) *width = *count;
    }
    free(text);
    return list;
}

static float euclidean(const float *a, const float *b, size_t width) {
    float sum = 0;
    for (size_t k = 0; k < width; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrtf(sum);
}

float *golden_distances(const char *name, uint32_t *n) {
    size_t count, width;
    float *list = numbers(golden_path(name), &count, &width);
    *n = width ? (uint32_t)(count / width) : (uint32_t)((1 + sqrt(1 + 8 * (double)count)) / 2);
    float *all = calloc((size_t)*n * *n + 1, sizeof *all), *next = list;
    for (size_t i = 0; i < *n; i++)
        for (size_t j = 0; j < i; j++) {
            float d = width ? euclidean(list + i * width, list + j * width, width) : *next++;
            all[i * *n + j] = all[j * *n + i] = d;
        }
    free(list);
    return all;
}

double *golden_weights(const char *name, uint32_t n) {
    size_t bytes;
    char *text = files_load(golden_path(name), &bytes), *at = text;
    double *out = malloc((n + 1) * sizeof *out);
    for (uint32_t i = 0; i < n; i++) out[i] = strtod(at, &at);
    free(text);
    return out;
}
