#include "io/field/tiff.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "io/raw.h"

/* ---- the library ------------------------------------------------------------------------------- */

/* What is used of libtiff 4, as its tiffio.h declares it. It is loaded at run time because few need it and it
 * brings ten libraries along. */
typedef void *handle;
typedef int64_t (*transfer)(handle, void *, int64_t);
typedef void (*message)(const char *module, const char *format, va_list arguments);
typedef struct library {
    void *object;
    handle (*open)(const char *name, const char *mode, handle user, transfer read, transfer write,
                   uint64_t (*seek)(handle, uint64_t, int), int (*close)(handle), uint64_t (*size)(handle),
                   int (*map)(handle, void **, uint64_t *), void (*unmap)(handle, void *, uint64_t));
    void (*close)(handle);
    int (*get)(handle, uint32_t tag, ...);
    int (*get_default)(handle, uint32_t tag, ...);
    int (*is_tiled)(handle);
    int64_t (*line_bytes)(handle);
    int (*read_line)(handle, void *to, uint32_t row, uint16_t sample);
    int64_t (*read_strip)(handle, uint32_t strip, void *to, int64_t bytes);
    int (*next)(handle);
    message (*on_error)(message);
    message (*on_warning)(message);
} library;

enum {
    WIDTH = 256,
    HEIGHT = 257,
    BITS = 258,
    PACKING = 259,
    PHOTOMETRIC = 262,
    DESCRIPTION = 270,
    SAMPLES = 277,
    STRIP_ROWS = 278,
    PLANAR = 284,
    FORMAT = 339
};
enum { UNPACKED = 1, LZW = 5, ZLIB = 8, PACKBITS = 32773, OLD_ZLIB = 32946 };
enum { PALETTE = 3, SIDE_BY_SIDE = 1, UNSIGNED = 1, SIGNED = 2, FLOAT = 3, UNDEFINED = 4 };

static void library_free(library *l) {
    if (l->object) dlclose(l->object);
}

static glshape_status library_load(error *err, const char *name, library *l) {
    static const char *const files[] = {"libtiff.so.6", "libtiff.so.5", "libtiff.so"};
    for (size_t k = 0; k < sizeof files / sizeof *files && !l->object; k++)
        l->object = dlopen(files[k], RTLD_NOW | RTLD_LOCAL);
    if (!l->object)
        return fail(
            err, GLSHAPE_BAD_ARGUMENT,
            "%s is a TIFF, and libtiff is not installed: install it (on Debian 'apt install libtiff6', "
            "or libtiff5), or convert the file to .npy",
            name);
    const struct {
        const char *name;
        void *to;
    } functions[] = {{"TIFFClientOpen", &l->open},
                     {"TIFFClose", &l->close},
                     {"TIFFGetField", &l->get},
                     {"TIFFGetFieldDefaulted", &l->get_default},
                     {"TIFFIsTiled", &l->is_tiled},
                     {"TIFFScanlineSize", &l->line_bytes},
                     {"TIFFReadScanline", &l->read_line},
                     {"TIFFReadEncodedStrip", &l->read_strip},
                     {"TIFFReadDirectory", &l->next},
                     {"TIFFSetErrorHandler", &l->on_error},
                     {"TIFFSetWarningHandler", &l->on_warning}};
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        void *function = dlsym(l->object, functions[k].name);
        if (!function)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "%s: the libtiff that is installed has no %s", name,
                        functions[k].name);
        memcpy(functions[k].to, &function, sizeof function);
    }
    return GLSHAPE_OK;
}

/* ---- the file ----------------------------------------------------------------------------------- */

typedef struct bytes {
    char *at;
    size_t count, room;
} bytes;

static void bytes_free(bytes *b) { free(b->at); }

/* A file, of which the parts are read that libtiff asks for; what is no plain file, whole. */
typedef struct file {
    const io_stream *s;
    bytes all;
    bool in_memory;
    uint64_t size, here;
} file;

static void file_free(file *f) { bytes_free(&f->all); }

static glshape_status file_open(error *err, io_stream *s, file *f) {
    *f = (file){.s = s, .in_memory = s->size == IO_SIZE_UNKNOWN, .size = s->size};
    if (f->in_memory) TRY(io_stream_append(err, s, &f->all.at, &f->all.count, &f->all.room, SIZE_MAX));
    if (f->in_memory) f->size = f->all.count;
    return GLSHAPE_OK;
}

/* Copies up to count bytes from byte `from` on; returns how many there were. */
static size_t read_at(const file *f, uint64_t from, void *to, size_t count) {
    uint64_t left = from < f->size ? f->size - from : 0;
    size_t got = count < left ? count : (size_t)left;
    if (!f->in_memory) {
        io_raw_read_at(NULL, f->s->name, f->s->fd, from, to, got, &got);
        return got;
    }
    if (got) memcpy(to, f->all.at + from, got);
    return got;
}

static int64_t on_read(handle user, void *to, int64_t count) {
    file *f = user;
    size_t got = count < 0 ? 0 : read_at(f, f->here, to, (size_t)count);
    f->here += got;
    return (int64_t)got;
}

static int64_t on_write(handle user, void *from, int64_t count) {
    (void)user, (void)from, (void)count;
    return 0;
}

static uint64_t on_seek(handle user, uint64_t to, int whence) {
    file *f = user;
    return f->here = whence == SEEK_CUR ? f->here + to : whence == SEEK_END ? f->size + to : to;
}

static int on_close(handle user) {
    (void)user;
    return 0;
}
static uint64_t on_size(handle user) { return ((file *)user)->size; }

static char complaint[200]; /* libtiff's handler has no place for a user's pointer */
static void on_error(const char *module, const char *format, va_list arguments) {
    (void)module;
    vsnprintf(complaint, sizeof complaint, format, arguments);
}

/* A number of the file; beyond its end 0. */
static uint64_t number_at(const file *f, uint64_t at, unsigned size) {
    unsigned char order = 0, b[8];
    uint64_t x = 0;
    if (!read_at(f, 0, &order, 1) || read_at(f, at, b, size) < size) return 0;
    for (unsigned k = 0; k < size; k++) x = x << 8 | b[order == 'M' ? k : size - 1 - k];
    return x;
}

/* Whether the last page's directory is there, to its end: libtiff takes a chain that the end of the file cuts
 * for one that ends. */
static bool is_whole(const file *f, uint32_t pages) {
    bool big = number_at(f, 2, 2) == 43;
    unsigned word = big ? 8 : 4, entry = big ? 20 : 12, counts = big ? 8 : 2;
    uint64_t at = number_at(f, big ? 8 : 4, word), next = 0;
    for (uint32_t k = 0; k < pages; k++) {
        next = at + counts + entry * number_at(f, at, counts);
        if (next < at || next > f->size || f->size - next < word) return false;
        at = number_at(f, next, word);
    }
    return !at;
}

/* ---- pages ------------------------------------------------------------------------------------- */

typedef struct page {
    uint32_t width, height, strip_rows;
    uint16_t bits, packing, format, samples, planar, photometric;
} page;

static glshape_status bad(error *err, const io_stream *s, uint32_t number, const char *what) {
    return fail(err, GLSHAPE_BAD_INPUT, "%s: page %u of the TIFF %s%s%s", s->name, number + 1, what,
                *complaint ? ": " : "", complaint);
}

static glshape_status read_page(error *err, const library *l, handle tiff, const io_stream *s,
                                uint32_t number, page *p) {
    *p = (page){.width = 0};
    bool sized = l->get(tiff, WIDTH, &p->width) && l->get(tiff, HEIGHT, &p->height);
    l->get_default(tiff, BITS, &p->bits);
    l->get_default(tiff, PACKING, &p->packing);
    l->get_default(tiff, FORMAT, &p->format);
    l->get_default(tiff, SAMPLES, &p->samples);
    l->get_default(tiff, PLANAR, &p->planar);
    l->get_default(tiff, STRIP_ROWS, &p->strip_rows);
    l->get(tiff, PHOTOMETRIC, &p->photometric);
    if (!sized || !p->width || !p->height || !p->samples) return bad(err, s, number, "has no size");
    if (p->photometric == PALETTE)
        return bad(err, s, number, "has a palette; convert it, as 'tiff2rgba' or ImageMagick does");
    if (p->format == UNDEFINED) p->format = UNSIGNED;
    bool real = p->format == FLOAT && (p->bits == 32 || p->bits == 64);
    bool whole = (p->format == UNSIGNED || p->format == SIGNED) &&
                 (p->bits == 8 || p->bits == 16 || p->bits == 32 || p->bits == 64);
    if (!real && !whole)
        return bad(err, s, number,
                   "has values that are not read; whole numbers of 8, 16, 32 or 64 bits are, and numbers of "
                   "single or double precision");
    if (l->is_tiled(tiff))
        return bad(err, s, number, "is in tiles; 'tiffcp -s IN.tif OUT.tif' writes strips");
    if (p->samples > 1 && p->planar != SIDE_BY_SIDE)
        return bad(err, s, number,
                   "has its channels apart; 'tiffcp -p contig IN.tif OUT.tif' puts them together");
    return GLSHAPE_OK;
}

static glshape_type type_of(const page *p) {
    static const glshape_type types[3][4] = {{GLSHAPE_U8, GLSHAPE_U16, GLSHAPE_U32, GLSHAPE_U64},
                                             {GLSHAPE_I8, GLSHAPE_I16, GLSHAPE_I32, GLSHAPE_I64},
                                             {GLSHAPE_F32, GLSHAPE_F32, GLSHAPE_F32, GLSHAPE_F64}};
    return types[p->format - 1][p->bits == 8 ? 0 : p->bits == 16 ? 1 : p->bits == 32 ? 2 : 3];
}

/* Rows that are read at a time: those of a strip, unless a strip is so large by its header that the file can
 * hardly have it; then one, as the room for a strip is taken before it is read. */
static uint32_t rows_at_a_time(const page *p, size_t line, uint64_t file) {
    enum { PACKED_MOST = 64 };
    uint32_t rows = p->strip_rows < p->height ? p->strip_rows : p->height;
    return rows && times(line, rows) / PACKED_MOST <= file ? rows : 1;
}

/* How many bytes a packed one may stand for, at most. */
static size_t most_packed(uint16_t packing) {
    switch (packing) {
        case UNPACKED:
            return 1;
        case PACKBITS:
            return 64;
        case ZLIB:
        case OLD_ZLIB:
            return 1032;
        case LZW:
            return 4096;
        default:
            return 1000000; /* Zstandard packs a plane of zeros so */
    }
}

/* Whether a page of a file may have so many bytes of values: strips at one place would be read again and
 * again. Pages may share theirs. */
static bool may_have(const file *f, const page *p, size_t bytes) {
    return bytes / most_packed(p->packing) <= f->size;
}

/* Appends the rows of the page that is open to data. */
static glshape_status read_rows(error *err, const library *l, handle tiff, const file *from, uint32_t number,
                                const page *p, bytes *data) {
    size_t line = times(times(p->width, p->samples), p->bits / 8u), whole = times(line, p->height);
    uint32_t most = rows_at_a_time(p, line, from->size);
    if (whole > SIZE_MAX - data->count || l->line_bytes(tiff) != (int64_t)line)
        return bad(err, from->s, number, "has rows of another length than its header says");
    if (!may_have(from, p, whole))
        return bad(err, from->s, number, "announces more values than the file can have: it is damaged");
    for (uint32_t y = 0, rows; y < p->height; y += rows) {
        rows = p->height - y < most ? p->height - y : most;
        size_t count = line * rows;
        TRY(memory_reserve(err, &data->at, &data->room, data->count + count, 1, "the TIFF's values"));
        bool read =
            most > 1 ? l->read_strip(tiff, y / most, data->at + data->count, (int64_t)count) == (int64_t)count
                     : l->read_line(tiff, data->at + data->count, y, 0) >= 0;
        if (!read) return bad(err, from->s, number, "is damaged");
        data->count += count;
    }
    return GLSHAPE_OK;
}

static glshape_status read_pages(error *err, const library *l, handle tiff, const file *from, page *first,
                                 uint32_t *pages, bytes *data) {
    const io_stream *s = from->s;
    do {
        page p;
        TRY(read_page(err, l, tiff, s, *pages, &p));
        if (!*pages) *first = p;
        const page own = p; /* how it is stored may differ from page to page */
        p.strip_rows = first->strip_rows;
        p.packing = first->packing;
        if (memcmp(&p, first, sizeof p))
            return bad(err, s, *pages,
                       "has another size or type than the first; pages are planes of one volume");
        TRY(read_rows(err, l, tiff, from, *pages, &own, data));
        ++*pages;
    } while (l->next(tiff));
    const char *text = NULL, *images = NULL;
    if (*pages == 1 && l->get(tiff, DESCRIPTION, &text) && text && !strncmp(text, "ImageJ=", 7))
        images = strstr(text, "\nimages=");
    if (images && atol(images + 8) > 1)
        return bad(err, s, 0,
                   "is the only one that has a header, but ImageJ has written others behind it, as it does "
                   "beyond 4 GB; have ImageJ save it as NRRD");
    return *complaint ? bad(err, s, *pages, "is damaged") : GLSHAPE_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

bool io_tiff_starts(const io_stream *s) {
    return io_stream_starts(s, "II*\0", 4) || io_stream_starts(s, "MM\0*", 4) ||
           io_stream_starts(s, "II+\0", 4) || io_stream_starts(s, "MM\0+", 4);
}

glshape_status io_tiff_read(error *err, io_stream *s, io_npy *npy, size_t *channels, glshape_matrix *out) {
    OWNED_BY(library_free) library l = {.object = NULL};
    OWNED_BY(file_free) file from = {.s = s};
    OWNED_BY(bytes_free) bytes data = {.at = NULL};
    page p;
    uint32_t pages = 0;
    *out = (glshape_matrix){.data = NULL};
    TRY(library_load(err, s->name, &l));
    TRY(file_open(err, s, &from));
    TRY(memory_reserve(err, &data.at, &data.room, from.size, 1, "the TIFF's values"));
    *complaint = 0;
    l.on_error(on_error);
    l.on_warning(NULL);
    handle tiff = l.open(s->name, "rm", &from, on_read, on_write, on_seek, on_close, on_size, NULL, NULL);
    if (!tiff) return bad(err, s, 0, "cannot be opened");
    glshape_status status = read_pages(err, &l, tiff, &from, &p, &pages, &data);
    l.close(tiff);
    TRY(status);
    if (!is_whole(&from, pages))
        return fail(err, GLSHAPE_BAD_INPUT, "%s is cut short after page %u", s->name, pages);
    io_values v = {.channels = p.samples};
    io_values_set_sizes(&v, (long long[]){p.width, p.height, pages}, 3);
    *npy = v.npy;
    *channels = p.samples;
    npy->rows = npy->extent[0];
    npy->cols = data.count / (npy->rows * (p.bits / 8u) * p.samples);
    *out = (glshape_matrix){type_of(&p), npy->rows, npy->cols * p.samples, MOVE(data.at)};
    return GLSHAPE_OK;
}
