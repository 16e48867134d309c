#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

static const option_row *row_named(const option_row *const *tables, const char *name, size_t length) {
    for (; *tables; tables++)
        for (const option_row *row = *tables; row->help; row++) {
            const char *names[] = {row->name, row->letter};
            for (int i = 0; i < 2; i++)
                if (names[i] && strlen(names[i]) == length && !strncmp(names[i], name, length)) return row;
        }
    return NULL;
}

static glshape_status bad_value(error *err, const option_row *row, const char *text, const char *takes) {
    return fail(err, GLSHAPE_BAD_ARGUMENT, "%s takes %s, not '%s'", row->name, takes, text);
}

static glshape_status set_choice(error *err, const option_row *row, const char *text) {
    int index = 0;
    for (const char *at = row->argument;; at++, index++) {
        size_t length = strcspn(at, "|");
        if (length == strlen(text) && !strncmp(at, text, length)) {
            *(int *)row->value = index;
            return GLSHAPE_OK;
        }
        at += length;
        if (!*at) return bad_value(err, row, text, row->argument);
    }
}

static glshape_status set_integer(error *err, const option_row *row, const char *text) {
    char *end, takes[64];
    errno = 0;
    long value = strtol(text, &end, 10);
    int least = row->least & 0xFF, most = row->least >> 8 ? row->least >> 8 : INT_MAX;
    bool is_whole = isdigit((unsigned char)*text) && !*end;
    if (is_whole && (errno || value > most))
        snprintf(takes, sizeof takes, "a whole number of at most %d", most);
    else if (most < INT_MAX) snprintf(takes, sizeof takes, "a whole number from %d to %d", least, most);
    else snprintf(takes, sizeof takes, "a whole number of at least %d", least);
    if (!is_whole || errno || value < least || value > most) return bad_value(err, row, text, takes);
    *(int *)row->value = (int)value;
    return GLSHAPE_OK;
}

static glshape_status set_seed(error *err, const option_row *row, const char *text) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno)
        return bad_value(err, row, text, "a whole number from 0 to 2^64-1");
    *(uint64_t *)row->value = value;
    return GLSHAPE_OK;
}

static glshape_status set_size(error *err, const option_row *row, const char *text) {
    char *end;
    double value = strtod(text, &end);
    const char *units = "KMG", *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (unit) {
        for (const char *u = units; u <= unit; u++) value *= 1024;
        end++;
    }
    if (!isdigit((unsigned char)*text) || *end || !(value >= 1) || value > 1e18)
        return bad_value(err, row, text, "a size in bytes such as 64M or 2G");
    *(size_t *)row->value = (size_t)value;
    return GLSHAPE_OK;
}

static glshape_status set_value(error *err, const option_row *row, const char *text) {
    switch (row->kind) {
        case OPTION_FLAG:
            return GLSHAPE_OK; /* set by its presence */
        case OPTION_TEXT:
        case OPTION_INPUT:
        case OPTION_OUTPUT:
        case OPTION_MATRIX:
        case OPTION_PICTURE:
            *(const char **)row->value = text;
            return GLSHAPE_OK;
        case OPTION_CHOICE:
            return set_choice(err, row, text);
        case OPTION_INTEGER:
            return set_integer(err, row, text);
        case OPTION_SEED:
            return set_seed(err, row, text);
        case OPTION_SIZE:
            return set_size(err, row, text);
    }
    return GLSHAPE_OK;
}

/* One option at argv[*i]; moves *i on if its value is the next argument. */
static glshape_status parse_option(error *err, int argc, char **argv, const option_row *const *tables,
                                   int *i) {
    const char *text = argv[*i], *equals = text[1] == '-' ? strchr(text, '=') : NULL;
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    const option_row *row = row_named(tables, text, length);
    if (!row)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "there is no option %.*s for '%s'", (int)length, text,
                    argv[0]);
    if (row->kind == OPTION_FLAG) {
        if (equals) return fail(err, GLSHAPE_BAD_ARGUMENT, "%s takes no value", row->name);
        *(bool *)row->value = true;
        return GLSHAPE_OK;
    }
    if (!equals && *i + 1 == argc)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "%s needs a value: %s", row->name, row->argument);
    return set_value(err, row, equals ? equals + 1 : argv[++*i]);
}

glshape_status options_parse(error *err, int argc, char **argv, const option_row *const *tables,
                             int *inputs) {
    bool options = true;
    *inputs = 0;
    for (int i = 1; i < argc; i++) {
        if (options && !strcmp(argv[i], "--")) options = false;
        else if (options && argv[i][0] == '-' && argv[i][1]) TRY(parse_option(err, argc, argv, tables, &i));
        else argv[++*inputs] = argv[i];
    }
    return GLSHAPE_OK;
}

glshape_status options_one_input(error *err, char **argv, int inputs, const char **input) {
    *input = inputs ? argv[1] : NULL;
    if (inputs < 2) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "there is one input at a time, not both '%s' and '%s'", argv[1],
                argv[2]);
}

int options_report_misuse(const error *err, const char *command) {
    fprintf(stderr, "glshape: %s\nTry 'glshape %s --help'.\n", err->text, command);
    return EXIT_USAGE;
}
