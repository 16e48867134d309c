#include "io/labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/owned.h"
#include "io/label_read.h"
#include "io/number.h"

/* A label on its way to its class: value is used if every label is a number. */
typedef struct entry {
    double value;
    const char *text;
    size_t row;
} entry;

static int by_row(const entry *a, const entry *b) { return (a->row > b->row) - (a->row < b->row); }

/* Equal texts are equal classes; names in byte order. */
static int compare_texts(const entry *a, const entry *b) { return strcmp(a->text, b->text); }

/* Equal values are equal classes, but beyond 2^53 two integers may share a double: the text tells then. */
static int compare_values(const entry *a, const entry *b) {
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    return fabs(a->value) < 0x1p53 ? 0 : strcmp(a->text, b->text);
}

static int sort_texts(const void *a, const void *b) {
    int order = compare_texts(a, b);
    return order ? order : by_row(a, b);
}

static int sort_values(const void *a, const void *b) {
    int order = compare_values(a, b);
    return order ? order : by_row(a, b);
}

/* Makes an entry of each label from the first on. Returns whether all are finite numbers. */
static bool fill_entries(const io_label_list *list, size_t first, entry *entries) {
    bool numbers = true;
    for (size_t i = first; i < list->count; i++) {
        entry *e = &entries[i - first];
        e->text = list->bytes + list->starts[i];
        e->row = i - first;
        if (!io_number_parse(e->text, strlen(e->text), &e->value) || !isfinite(e->value)) numbers = false;
    }
    return numbers;
}

static glshape_status copy_names(error *err, const char *name, const entry **firsts, io_labels *out) {
    size_t bytes = out->classes * sizeof *out->names;
    for (size_t c = 0; c < out->classes; c++) bytes += strlen(firsts[c]->text) + 1;
    TRY(allocate(err, &out->names, bytes, 1, name));
    char *text = (char *)(out->names + out->classes);
    for (size_t c = 0; c < out->classes; c++) {
        out->names[c] = strcpy(text, firsts[c]->text);
        text += strlen(text) + 1;
    }
    return GLSHAPE_OK;
}

static glshape_status classify(error *err, const io_label_list *list, size_t first, io_labels *out) {
    OWNED entry *entries = NULL;
    OWNED const entry **firsts = NULL; /* of each class */
    size_t count = out->count = list->count - first;
    TRY(allocate(err, &entries, count, sizeof *entries, list->name));
    TRY(allocate(err, &firsts, count, sizeof *firsts, list->name));
    TRY(allocate(err, &out->of, count, sizeof *out->of, list->name));
    bool numbers = fill_entries(list, first, entries);
    int (*compare)(const entry *, const entry *) = numbers ? compare_values : compare_texts;
    qsort(entries, count, sizeof *entries, numbers ? sort_values : sort_texts);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare(&entries[i - 1], &entries[i])) firsts[out->classes++] = &entries[i];
        out->of[entries[i].row] = (uint32_t)(out->classes - 1);
    }
    return copy_names(err, list->name, firsts, out);
}

/* Sets *first to 1 if the first label is a header, which only text can have. */
static glshape_status check_count(error *err, const io_label_list *list, size_t expect, size_t *first) {
    *first = expect && list->text && list->count == expect + 1;
    size_t count = list->count - *first;
    if (count > UINT32_MAX)
        return fail(err, GLSHAPE_BAD_INPUT, "%s has %zu labels, at most %lu are possible", list->name, count,
                    (unsigned long)UINT32_MAX);
    if (!expect || count == expect) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s has %zu label%s, the data has %zu row%s", list->name, count,
                count == 1 ? "" : "s", expect, expect == 1 ? "" : "s");
}

glshape_status io_read_labels(error *err, const char *path, size_t expect, io_labels *out) {
    OWNED_BY(io_stream_close) io_stream s = {.fd = -1};
    OWNED_BY(io_label_list_free) io_label_list list = {.count = 0};
    OWNED_BY(io_labels_free) io_labels labels = {.count = 0};
    size_t first = 0;
    *out = (io_labels){.count = 0};
    TRY(io_stream_open(err, path, &s));
    TRY(io_label_list_read(err, &s, &list));
    TRY(check_count(err, &list, expect, &first));
    TRY(classify(err, &list, first, &labels));
    *out = MOVE(labels);
    return GLSHAPE_OK;
}

glshape_status io_labels_of(error *err, const io_label_list *list, io_labels *out) {
    OWNED_BY(io_labels_free) io_labels labels = {.count = 0};
    *out = (io_labels){.count = 0};
    TRY(classify(err, list, 0, &labels));
    *out = MOVE(labels);
    return GLSHAPE_OK;
}

void io_labels_free(io_labels *labels) {
    free(labels->of);
    free(labels->names);
    *labels = (io_labels){.count = 0};
}
