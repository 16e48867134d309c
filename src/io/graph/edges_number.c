#include "io/graph/edges_number.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/owned.h"
#include "base/radix.h"

enum { DIGITS_ROOM = 17 }; /* of a number below 2^53, with a NUL */

/* A name that is a whole number: its value, `at`, and its number among all names, `a`. */
typedef radix_item whole;

/* Fills wholes with the names from first on; false if one is no whole number. */
static bool all_whole(const io_names *names, size_t first, whole *wholes) {
    for (size_t i = first; i < names->list.count; i++) {
        wholes[i - first] = (whole){.a = (uint32_t)i};
        if (!io_names_whole(names, i, &wholes[i - first].at)) return false;
    }
    return true;
}

/* An edge between two names of one node ("1 1.0") is a loop: it is counted and left out. */
static void renumber(io_graph_parts *parts, const uint32_t *node_of) {
    io_entries *entries = &parts->entries;
    size_t kept = 0;
    for (size_t k = 0; k < entries->count; k++) {
        io_entry e = entries->at[k];
        e.row = node_of[e.row];
        e.col = node_of[e.col];
        if (e.row != e.col) io_entries_move(entries, kept++, k, e);
    }
    parts->loops += entries->count - kept;
    entries->count = kept;
}

/* Equal values become one node. Leaves one of wholes for each node; returns their number. */
static size_t join(whole *wholes, size_t count, uint32_t *node_of) {
    size_t nodes = 0;
    for (size_t i = 0; i < count; i++) {
        if (!nodes || wholes[i].at != wholes[nodes - 1].at) wholes[nodes++] = wholes[i];
        node_of[wholes[i].a] = (uint32_t)(nodes - 1);
    }
    return nodes;
}

static glshape_status print_names(error *err, const char *name, const whole *wholes, size_t count,
                                  char ***out) {
    TRY(allocate(err, out, count, sizeof **out + DIGITS_ROOM, name));
    char *text = (char *)(*out + count);
    for (size_t i = 0; i < count; i++) {
        (*out)[i] = text;
        text += snprintf(text, DIGITS_ROOM, "%llu", (unsigned long long)wholes[i].at) + 1;
    }
    return GLSHAPE_OK;
}

static glshape_status number_wholes(error *err, const io_names *names, whole *wholes, size_t count,
                                    io_graph_parts *parts) {
    OWNED uint32_t *node_of = NULL;
    TRY(allocate(err, &node_of, names->list.count, sizeof *node_of, names->list.name));
    radix_sort_all(wholes, wholes + count, count); /* equal ones in the order of their names */
    parts->nodes = join(wholes, count, node_of);
    renumber(parts, node_of);
    uint64_t first = wholes[0].at, last = wholes[parts->nodes - 1].at;
    bool gaps = first > 1 || last - first + 1 != parts->nodes;
    if (gaps) return print_names(err, names->list.name, wholes, parts->nodes, &parts->names);
    parts->first = first;
    return GLSHAPE_OK;
}

static glshape_status number_texts(error *err, const io_names *names, uint32_t first, io_graph_parts *parts) {
    for (size_t k = 0; first && k < parts->entries.count; k++) {
        parts->entries.at[k].row -= first;
        parts->entries.at[k].col -= first;
    }
    parts->nodes = names->list.count - first;
    return io_names_copy(err, names, first, &parts->names);
}

glshape_status io_edges_number(error *err, const io_names *names, bool header, io_graph_parts *parts) {
    OWNED whole *wholes = NULL;
    uint32_t first = header ? 2 : 0;
    size_t count = names->list.count - first;
    TRY(allocate(err, &wholes, count, 2 * sizeof *wholes, names->list.name));
    return all_whole(names, first, wholes) ? number_wholes(err, names, wholes, count, parts)
                                           : number_texts(err, names, first, parts);
}
