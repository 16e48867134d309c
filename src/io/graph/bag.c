#include "io/graph/bag.h"

#include "io/sparse_lines.h"

/* The first three lines. */
typedef struct sizes {
    uint64_t documents, words, entries;
} sizes;

static glshape_status read_size(error *err, io_stream *s, const char *what, uint64_t most, uint64_t *out) {
    io_line line = {.text = NULL};
    TRY(io_line_next(err, s, "", &line));
    if (!line.text) return fail(err, GLSHAPE_BAD_INPUT, "%s ends before the number of %s", s->name, what);
    io_line_split(&line, IO_BLANKS);
    if (line.count == 1 && io_field_whole(&line.field[0], out) && *out <= most) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "%s: line %llu is not the number of %s: a sparse matrix starts with '%%%%MatrixMarket' or, "
                "as bag of words, with the numbers of documents, words and entries, a line each",
                s->name, (unsigned long long)s->line, what);
}

static glshape_status read_sizes(error *err, io_stream *s, sizes *out) {
    TRY(read_size(err, s, "documents", UINT32_MAX, &out->documents));
    TRY(read_size(err, s, "words", UINT32_MAX, &out->words));
    TRY(read_size(err, s, "entries", SIZE_MAX, &out->entries));
    if (out->documents && out->words) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s: %llu documents of %llu words have no counts", s->name,
                (unsigned long long)out->documents, (unsigned long long)out->words);
}

static glshape_status read_entry(error *err, const io_stream *s, const sizes *size, io_line *line,
                                 io_entries *entries) {
    uint32_t document, word;
    uint64_t count;
    if (entries->count == size->entries)
        return fail(err, GLSHAPE_BAD_INPUT, "%s: line %llu is an entry more than the %llu announced", s->name,
                    (unsigned long long)s->line, (unsigned long long)size->entries);
    if (line->count != 3)
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s: line %llu has %zu field%s, an entry is 'DOCUMENT WORD COUNT'", s->name,
                    (unsigned long long)s->line, line->count, line->count == 1 ? "" : "s");
    TRY(io_field_place(err, s, &line->field[0], "document", (size_t)size->documents, &document));
    TRY(io_field_place(err, s, &line->field[1], "word", (size_t)size->words, &word));
    if (!io_field_whole(&line->field[2], &count))
        return io_field_fail(err, s, &line->field[2], "is not a count");
    return io_entries_add(err, entries, document, word, (float)count);
}

glshape_status io_bag_read(error *err, io_stream *s, io_entries *entries, size_t *documents, size_t *words) {
    sizes size = {0};
    io_line line = {.text = NULL};
    *entries = (io_entries){.name = s->name};
    TRY(read_sizes(err, s, &size));
    *documents = (size_t)size.documents;
    *words = (size_t)size.words;
    entries->limit = (size_t)size.entries;
    for (;;) {
        TRY(io_line_next(err, s, "", &line));
        if (!line.text) break;
        io_line_split(&line, IO_BLANKS);
        TRY(read_entry(err, s, &size, &line, entries));
    }
    if (entries->count == size.entries) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT, "%s ends after %zu of its %llu entries", s->name, entries->count,
                (unsigned long long)size.entries);
}
