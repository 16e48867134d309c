#include "io/field/hdf5.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/matrix.h"
#include "base/memory.h"
#include "base/owned.h"
#include "base/threads.h"
#include "io/field/dataset.h"
#include "io/field/hdf5_pieces.h"
#include "io/raw.h"

/* What is used of libhdf5, as its headers declare it from version 1.10 on. */
typedef int64_t id;
typedef struct library {
    int (*open)(void), (*no_exit)(void), (*quiet)(id stack, void *function, void *data);
    int (*version)(unsigned *major, unsigned *minor, unsigned *release);
    id (*file_open)(const char *name, unsigned flags, id access);
    int (*file_close)(id);
    int64_t (*name_at)(id, const char *group, int index, int order, uint64_t n, char *name, size_t size,
                       id access);
    id (*object_open)(id, const char *name, id access);
    int (*object_close)(id), (*kind)(id);
    id (*space)(id), (*type)(id);
    int (*space_close)(id), (*type_close)(id), (*dims)(id);
    int (*extents)(id, uint64_t *now, uint64_t *most);
    int (*class_of)(id), (*sign)(id);
    size_t (*size)(id);
    uint64_t (*stored)(id);
    int (*read)(id, id memory_type, id memory, id file, id transfer, void *to);
    int (*forget_links)(int kind), (*list_close)(id), (*files)(id list);
    id (*creation)(id);
    int (*layout)(id list), (*equal)(id type, id other), (*filters)(id list);
    int (*chunk)(id list, int dims, uint64_t *extent);
    /* from version 1.10.5 on; else NULL */
    int (*chunks)(id, id space, uint64_t *count);
    int (*chunk_at)(id, id space, uint64_t k, uint64_t *first, unsigned *unfiltered, uint64_t *at,
                    uint64_t *bytes);
    uint64_t (*offset)(id);
    int (*has_attribute)(id, const char *name);
    id (*attribute_open)(id, const char *name, id access);
    int (*attribute_close)(id), (*attribute_read)(id, id memory_type, void *to);
    id (*attribute_space)(id);
    int64_t (*points)(id);
    id *i1, *i2, *i4, *i8, *u1, *u2, *u4, *u8, *f4, *f8;
} library;

enum {
    BY_NAME = 0,
    INCREASING = 0,
    GROUP = 2,
    DATASET = 5,
    INTEGER = 0,
    FLOAT = 1,
    EXTERNAL = 64,
    CONTIGUOUS = 1,
    CHUNKED = 2,
    CHUNKS_MOST = 4096, /* libhdf5 looks for each from the first one on */
    DEEPEST = 8,
    PACKED_MOST = 5000,
    PIPE_BYTES = 1 << 20,
    MOST_SECONDS = 600,
    MAGIC_BYTES = 8,
    FIRST_BLOCK = 512,
    ROOM_STEP = 1 << 20,
    ROOM_MOST = 64 << 20 /* bytes: more are not given before libhdf5 is loaded */
};

static glshape_status load(error *err, const char *name, library *l) {
    static const char *const names[] = {
        "libhdf5_serial.so.103", "libhdf5_serial.so.310", "libhdf5_serial.so.320",
        "libhdf5.so.103",        "libhdf5.so.200",        "libhdf5.so.310",
        "libhdf5.so.320",        "libhdf5_serial.so",     "libhdf5.so"};
    const struct {
        const char *name;
        void *to;
    } symbols[] = {{"H5open", &l->open},
                   {"H5dont_atexit", &l->no_exit},
                   {"H5Eset_auto2", &l->quiet},
                   {"H5get_libversion", &l->version},
                   {"H5Fopen", &l->file_open},
                   {"H5Fclose", &l->file_close},
                   {"H5Lget_name_by_idx", &l->name_at},
                   {"H5Oopen", &l->object_open},
                   {"H5Oclose", &l->object_close},
                   {"H5Iget_type", &l->kind},
                   {"H5Dget_space", &l->space},
                   {"H5Dget_type", &l->type},
                   {"H5Sclose", &l->space_close},
                   {"H5Tclose", &l->type_close},
                   {"H5Sget_simple_extent_ndims", &l->dims},
                   {"H5Sget_simple_extent_dims", &l->extents},
                   {"H5Tget_class", &l->class_of},
                   {"H5Tget_sign", &l->sign},
                   {"H5Tget_size", &l->size},
                   {"H5Dget_storage_size", &l->stored},
                   {"H5Dread", &l->read},
                   {"H5Lunregister", &l->forget_links},
                   {"H5Dget_create_plist", &l->creation},
                   {"H5Pget_external_count", &l->files},
                   {"H5Pget_layout", &l->layout},
                   {"H5Pget_nfilters", &l->filters},
                   {"H5Pget_chunk", &l->chunk},
                   {"H5Pclose", &l->list_close},
                   {"H5Tequal", &l->equal},
                   {"H5Dget_offset", &l->offset},
                   {"H5Aexists", &l->has_attribute},
                   {"H5Aopen", &l->attribute_open},
                   {"H5Aclose", &l->attribute_close},
                   {"H5Aread", &l->attribute_read},
                   {"H5Aget_space", &l->attribute_space},
                   {"H5Sget_simple_extent_npoints", &l->points},
                   {"H5T_NATIVE_INT8_g", &l->i1},
                   {"H5T_NATIVE_INT16_g", &l->i2},
                   {"H5T_NATIVE_INT32_g", &l->i4},
                   {"H5T_NATIVE_INT64_g", &l->i8},
                   {"H5T_NATIVE_UINT8_g", &l->u1},
                   {"H5T_NATIVE_UINT16_g", &l->u2},
                   {"H5T_NATIVE_UINT32_g", &l->u4},
                   {"H5T_NATIVE_UINT64_g", &l->u8},
                   {"H5T_NATIVE_FLOAT_g", &l->f4},
                   {"H5T_NATIVE_DOUBLE_g", &l->f8}};
    unsigned version[3];
    void *object = NULL;
    for (size_t k = 0; k < sizeof names / sizeof *names && !object; k++)
        object = dlopen(names[k], RTLD_LAZY | RTLD_LOCAL) /* few of its calls are made */;
    if (!object)
        return fail(
            err, GLSHAPE_BAD_ARGUMENT,
            "%s is a file of HDF5, whose library is not installed: install it (on Debian 'apt install "
            "libhdf5-103-1'), or convert the file to .npy",
            name);
    for (size_t k = 0; k < sizeof symbols / sizeof *symbols; k++) {
        void *symbol = dlsym(object, symbols[k].name);
        if (!symbol)
            return fail(err, GLSHAPE_BAD_ARGUMENT, "%s: the libhdf5 that is installed has no %s", name,
                        symbols[k].name);
        memcpy(symbols[k].to, &symbol, sizeof symbol);
    }
    memcpy(&l->chunks, &(void *){dlsym(object, "H5Dget_num_chunks")}, sizeof l->chunks);
    memcpy(&l->chunk_at, &(void *){dlsym(object, "H5Dget_chunk_info")}, sizeof l->chunk_at);
    l->no_exit();
    if (l->open() < 0 || l->version(&version[0], &version[1], &version[2]) < 0 ||
        (version[0] == 1 && version[1] < 10))
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "%s is read by libhdf5 1.10 or newer; an older one is installed", name);
    l->quiet(0, NULL, NULL);
    l->forget_links(EXTERNAL); /* a file from elsewhere opens no other one, which may be a pipe */
    return GLSHAPE_OK;
}

/* ---- what is there ----------------------------------------------------------------------------- */

static void set_code(const library *l, id set, io_dataset *d) {
    id type = l->type(set);
    size_t size = type < 0 ? 0 : l->size(type);
    int class = type < 0 ? -1 : l->class_of(type);
    if (class == FLOAT && (size == 2 || size == 4 || size == 8))
        snprintf(d->code, sizeof d->code, "%s", size == 8 ? "f8" : "f4");
    if (class == INTEGER && (size == 1 || size == 2 || size == 4 || size == 8))
        snprintf(d->code, sizeof d->code, "%c%d", l->sign(type) ? 'i' : 'u', (int)size);
    if (type >= 0) l->type_close(type);
}

static void set_extents(const library *l, id set, io_dataset *d) {
    uint64_t extent[IO_DATASET_DIMENSIONS];
    id space = l->space(set);
    d->dims = space < 0 ? 0 : l->dims(space);
    if (d->dims < 0 || d->dims > IO_DATASET_DIMENSIONS || (d->dims && l->extents(space, extent, NULL) < 0))
        d->dims = 0;
    for (int k = 0; k < d->dims; k++) d->extent[k] = extent[k];
    if (space >= 0) l->space_close(space);
}

/* A number of an attribute, if it is there and is one. */
static bool get_attribute(const library *l, id set, const char *name, double *out) {
    if (l->has_attribute(set, name) <= 0) return false;
    id attribute = l->attribute_open(set, name, 0);
    if (attribute < 0) return false;
    id space = l->attribute_space(attribute);
    bool got = space >= 0 && l->points(space) == 1 && l->attribute_read(attribute, *l->f8, out) >= 0;
    if (space >= 0) l->space_close(space);
    l->attribute_close(attribute);
    return got;
}

static glshape_status add(error *err, const library *l, id set, const char *name, io_datasets *all) {
    io_dataset *d;
    TRY(io_datasets_add(err, all, &d));
    snprintf(d->name, sizeof d->name, "%s", name);
    set_code(l, set, d);
    set_extents(l, set, d);
    d->axis = d->dims < 2 && l->has_attribute(set, "CLASS") > 0;
    d->fills += get_attribute(l, set, "_FillValue", &d->fill[0]);
    d->fills += get_attribute(l, set, "missing_value", &d->fill[d->fills]);
    get_attribute(l, set, "scale_factor", &d->slope);
    get_attribute(l, set, "add_offset", &d->intercept);
    return GLSHAPE_OK;
}

typedef struct walk {
    const library *l;
    io_datasets *all;
    int visits; /* of groups and data sets */
} walk;

/* Lists what is in a group, and in groups in it; path is its name, with a slash if it has one. A group can
 * lie in itself. */
static glshape_status list(error *err, walk *w, id group, const char *path, int depth) {
    const library *l = w->l;
    char name[IO_DATASET_NAME];
    size_t used = (size_t)snprintf(name, sizeof name, "%s", path);
    for (uint64_t k = 0; w->visits < IO_DATASET_MOST; k++) {
        int64_t length = l->name_at(group, ".", BY_NAME, INCREASING, k, name + used, sizeof name - used, 0);
        if (length < 0) break;
        w->visits++;
        if (used + (size_t)length + 2 > sizeof name) continue;
        id object = l->object_open(group, name + used, 0);
        if (object < 0) continue;
        int kind = l->kind(object);
        glshape_status status = kind == DATASET ? add(err, l, object, name, w->all) : GLSHAPE_OK;
        if (kind == GROUP && depth < DEEPEST) {
            strcpy(name + used + length, "/");
            status = list(err, w, object, name, depth + 1);
        }
        l->object_close(object);
        TRY(status);
    }
    return GLSHAPE_OK;
}

/* ---- values ------------------------------------------------------------------------------------ */

static id native(const library *l, const char *code) {
    const struct {
        const char *code;
        id *type;
    } types[] = {{"i1", l->i1}, {"i2", l->i2}, {"i4", l->i4}, {"i8", l->i8}, {"u1", l->u1},
                 {"u2", l->u2}, {"u4", l->u4}, {"u8", l->u8}, {"f4", l->f4}, {"f8", l->f8}};
    size_t k = 0;
    while (strcmp(types[k].code, code) != 0) k++;
    return *types[k].type;
}

/* A header is not believed before the bytes that are stored bear it out: filters pack well, but not so well.
 */
static glshape_status check_stored(error *err, const char *name, const io_dataset *d, uint64_t stored,
                                   size_t bytes) {
    if (!stored) return fail(err, GLSHAPE_BAD_INPUT, "%s: nothing is stored of '%s'", name, d->name);
    if (bytes / PACKED_MOST <= stored) return GLSHAPE_OK;
    return fail(
        err, GLSHAPE_BAD_INPUT,
        "%s: '%s' has %zu bytes by its header, but only %llu are stored: it is damaged, or most of it was "
        "never written",
        name, d->name, bytes, (unsigned long long)stored);
}

/* Values can lie in files that the header names. Sets *layout, and the extents of the chunks of CHUNKED
 * values that no filter packs; of others *layout becomes -1. */
static glshape_status check_here(error *err, const library *l, id set, const char *name, const io_dataset *d,
                                 int *layout, uint64_t *chunk) {
    id how = l->creation(set);
    int files = how < 0 ? 0 : l->files(how);
    *layout = how < 0 ? -1 : l->layout(how);
    if (*layout == CHUNKED && (l->filters(how) != 0 || l->chunk(how, d->dims, chunk) != d->dims))
        *layout = -1;
    if (how >= 0) l->list_close(how);
    if (files <= 0) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "%s: the values of '%s' are in other files: write them into one, as h5repack does", name,
                d->name);
}

static bool is_as_in_memory(const library *l, id set, const io_dataset *d) {
    id type = l->type(set);
    bool same = type >= 0 && l->equal(type, native(l, d->code)) > 0;
    if (type >= 0) l->type_close(type);
    return same;
}

static size_t count_bytes(const io_dataset *d) {
    size_t bytes = (size_t)(d->code[1] - '0');
    for (int k = 0; k < d->dims; k++) bytes = times(bytes, (size_t)d->extent[k]);
    return bytes;
}

/* What is read of the file: a data set, and where its values lie in the file, if they lie there as in memory,
 * in one (at) or in many pieces; or else the values. */
typedef struct found {
    io_dataset d;
    uint64_t at;
    io_hdf5_pieces pieces;
    bool from_start; /* nothing comes before the signature: versions differ in whether chunks are counted from
                        there */
    void *values;
} found;

/* The number of a piece among all in their order; CHUNKS_MOST: none begins there. */
static uint64_t number(const found *f, const io_hdf5_piece *p) {
    uint64_t at = 0;
    for (int k = 0; k < f->d.dims; k++) {
        uint64_t extent = f->pieces.extent[k];
        if (p->first[k] >= f->d.extent[k] || p->first[k] % extent) return CHUNKS_MOST;
        at = at * ((f->d.extent[k] - 1) / extent + 1) + p->first[k] / extent;
    }
    return at;
}

/* Lists the pieces of a data set and its space. False: a place is not known, or not that of a whole chunk, or
 * a damaged file has one twice. */
static bool find_pieces(const library *l, id set, id space, found *f) {
    uint64_t bytes, whole = (uint64_t)(f->d.code[1] - '0');
    bool seen[CHUNKS_MOST + 1] = {[CHUNKS_MOST] = true};
    unsigned mask;
    for (int k = 0; k < f->d.dims; k++) whole = times(whole, f->pieces.extent[k]);
    for (uint64_t k = 0; k < f->pieces.count; k++) {
        io_hdf5_piece p;
        if (l->chunk_at(set, space, k, p.first, &mask, &p.at, &bytes) < 0 || mask || bytes != whole ||
            seen[number(f, &p)])
            return false;
        seen[number(f, &p)] = true;
        f->pieces.all[number(f, &p)] = p;
    }
    return true;
}

/* The same. False, and their count is 0: there are too many, some are missing, or this version does not tell.
 */
static bool list_pieces(error *err, const library *l, id set, found *f) {
    io_hdf5_pieces *p = &f->pieces;
    uint64_t all = 1, count = 0;
    for (int k = 0; k < f->d.dims; k++)
        all = p->extent[k] && f->d.extent[k] ? times(all, (f->d.extent[k] - 1) / p->extent[k] + 1) : SIZE_MAX;
    if (!f->from_start || !l->chunks || !l->chunk_at || all > CHUNKS_MOST) return false;
    id space = l->space(set);
    bool listed = space >= 0 && l->chunks(set, space, &count) >= 0 && count == all &&
                  !allocate(err, &p->all, count, sizeof *p->all, "the places of values");
    p->count = count;
    listed = listed && find_pieces(l, set, space, f);
    if (space >= 0) l->space_close(space);
    if (!listed) p->count = 0;
    return listed;
}

static glshape_status read_set(error *err, const library *l, id set, const char *name, found *f) {
    size_t bytes = count_bytes(&f->d);
    int layout;
    TRY(check_here(err, l, set, name, &f->d, &layout, f->pieces.extent));
    TRY(check_stored(err, name, &f->d, l->stored(set), bytes));
    bool same = is_as_in_memory(l, set, &f->d);
    if (layout == CONTIGUOUS && same && l->stored(set) >= bytes) f->at = l->offset(set);
    if (f->at && f->at != UINT64_MAX) return GLSHAPE_OK;
    f->at = 0;
    if (layout == CHUNKED && same && list_pieces(err, l, set, f)) return GLSHAPE_OK;
    TRY(allocate(err, &f->values, bytes, 1, "the values"));
    if (l->read(set, native(l, f->d.code), 0, 0, 0, f->values) >= 0) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_INPUT,
                "%s: '%s' cannot be read: it is damaged, or packed by a filter that is not installed", name,
                f->d.name);
}

/* Lists the data set that is asked for, wherever it is, or else all. */
static glshape_status list_wanted(error *err, const library *l, id file, const char *wanted,
                                  io_datasets *all) {
    walk w = {.l = l, .all = all};
    id set = wanted && *wanted && strlen(wanted) < IO_DATASET_NAME ? l->object_open(file, wanted, 0) : -1;
    glshape_status status = GLSHAPE_OK;
    if (set >= 0 && l->kind(set) == DATASET) status = add(err, l, set, wanted, all);
    if (set >= 0) l->object_close(set);
    return status || all->count ? status : list(err, &w, file, "", 0);
}

static glshape_status read_file(error *err, const library *l, id file, const char *name, const char *wanted,
                                found *f) {
    OWNED_BY(io_datasets_free) io_datasets all = {.all = NULL};
    const io_dataset *d;
    TRY(list_wanted(err, l, file, wanted, &all));
    TRY(io_datasets_choose(err, name, &all, wanted, &d));
    f->d = *d;
    id set = l->object_open(file, d->name, 0);
    if (set < 0) return fail(err, GLSHAPE_BAD_INPUT, "%s: '%s' cannot be opened", name, d->name);
    glshape_status status = read_set(err, l, set, name, f);
    l->object_close(set);
    return status;
}

static glshape_status read_path(error *err, const char *path, const char *name, const char *wanted,
                                found *f) {
    library l;
    TRY(load(err, name, &l));
    id file = l.file_open(path, 0, 0);
    if (file < 0)
        return fail(err, GLSHAPE_BAD_INPUT, "%s cannot be opened as HDF5: it is damaged or cut short", name);
    glshape_status status = read_file(err, &l, file, name, wanted, f);
    l.file_close(file);
    return status;
}

/* ---- a process of its own ----------------------------------------------------------------------- */

/* What the process that reads tells the one that waits; the pieces follow, or the values, if they are not at
 * found.at. */
typedef struct reply {
    error err;
    found found;
} reply;

static bool write_all(int fd, const void *from, size_t bytes) {
    for (const char *at = from; bytes;) {
        ssize_t done = write(fd, at, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        bytes -= (size_t)done;
    }
    return true;
}

static bool read_all(int fd, void *to, size_t bytes) {
    for (char *at = to; bytes;) {
        ssize_t done = read(fd, at, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        bytes -= (size_t)done;
    }
    return true;
}

static bool read_at(int fd, void *to, size_t bytes, uint64_t from) {
    for (char *at = to; bytes;) {
        ssize_t done = pread(fd, at, bytes, (off_t)from);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        from += (uint64_t)done;
        bytes -= (size_t)done;
    }
    return true;
}

static bool starts_at(const io_stream *s, uint64_t at) {
    static const char magic[MAGIC_BYTES + 1] = "\x89HDF\r\n\x1a\n";
    char bytes[MAGIC_BYTES];
    if (s->size == IO_SIZE_UNKNOWN)
        return at + MAGIC_BYTES <= s->have && !memcmp(s->window + s->at + at, magic, MAGIC_BYTES);
    return at + MAGIC_BYTES <= s->size && read_at(s->fd, bytes, MAGIC_BYTES, at) &&
           !memcmp(bytes, magic, MAGIC_BYTES);
}

static void read_and_tell(int fd, const io_stream *s, const char *path, const char *wanted) {
    static reply r;
    const struct rlimit seconds = {MOST_SECONDS, MOST_SECONDS}, none = {0, 0};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_CORE, &none);
    static const int numbers[] = {SIGPIPE, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) signal(numbers[k], SIG_DFL);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody listens any more */
#endif
    /* libhdf5 may load GnuTLS for files of a network, which takes a tenth of the time if it makes ready */
    setenv("GNUTLS_NO_IMPLICIT_INIT", "1", 1);
    r.found.from_start = starts_at(s, 0);
    r.err.status = read_path(&r.err, path, s->name, wanted, &r.found);
    if (write_all(fd, &r, sizeof r) && !r.err.status && !r.found.at) {
        const io_hdf5_pieces *p = &r.found.pieces;
        if (p->count) write_all(fd, p->all, p->count * sizeof *p->all);
        else write_all(fd, r.found.values, count_bytes(&r.found.d));
    }
    _exit(0);
}

/* Whether path still names the file that s has open: the other process has opened it anew. */
static bool is_the_same(const io_stream *s, const char *path) {
    struct stat open, named;
    return !fstat(s->fd, &open) && !stat(path, &named) && open.st_dev == named.st_dev &&
           open.st_ino == named.st_ino;
}

/* Where the values come to; bytes that may be more than there are. */
typedef struct room {
    void *memory; /* or NULL */
    size_t bytes;
} room;

static void free_room(room *r) { free(r->memory); }

/* Makes room for as many bytes as the file has, because values that no filter packs are no more, and has the
 * system give it memory until the other process, which loads libhdf5 on another processor, says something.
 * Sleeps a millisecond first, because the system begins a process on its parent's processor and moves the one
 * that wakes. */
static void prepare(int pipe, const io_stream *s, room *r) {
    struct pollfd reply = {.fd = pipe, .events = POLLIN};
    error none = {.status = GLSHAPE_OK};
    if (threads_count(0) < 2 || s->size < ROOM_STEP || allocate(&none, &r->memory, s->size, 1, "the values"))
        return;
    r->bytes = s->size;
    size_t most = r->bytes < ROOM_MOST ? r->bytes : ROOM_MOST;
    for (size_t at = 0; at < most && !poll(&reply, 1, at ? 0 : 1); at += ROOM_STEP)
        threads_touch((char *)r->memory + at, most - at < ROOM_STEP ? most - at : ROOM_STEP);
}

static glshape_status fit(error *err, room *r, size_t bytes) {
    if (bytes > r->bytes) free(r->memory), r->memory = NULL;
    r->bytes = bytes;
    return memory_resize(err, &r->memory, bytes, 1, "the values");
}

/* Reads the places of the pieces, and the pieces. */
static glshape_status take_pieces(error *err, int pipe, const io_stream *s, const found *f, char *to) {
    OWNED io_hdf5_piece *all = NULL;
    io_hdf5_pieces p = f->pieces;
    if (p.count > CHUNKS_MOST) return io_hdf5_is_unreadable(err, s, &f->d);
    TRY(allocate(err, &all, p.count, sizeof *all, "the places of values"));
    if (!read_all(pipe, all, p.count * sizeof *all)) return io_hdf5_is_unreadable(err, s, &f->d);
    p.all = all;
    return io_hdf5_read_pieces(err, s, &f->d, &p, to);
}

static glshape_status take_values(error *err, int pipe, const io_stream *s, const char *path, const found *f,
                                  room *to) {
    size_t bytes = count_bytes(&f->d), got = bytes;
    bool here = f->at || f->pieces.count; /* in this file */
    if (here && (f->at > s->size || bytes > s->size - f->at || !is_the_same(s, path)))
        return io_hdf5_is_unreadable(err, s, &f->d);
    TRY(fit(err, to, bytes));
    if (f->pieces.count) return take_pieces(err, pipe, s, f, to->memory);
    if (f->at) TRY(io_raw_read_at(err, s->name, s->fd, f->at, to->memory, bytes, &got));
    else if (!read_all(pipe, to->memory, bytes)) got = 0;
    return got == bytes ? GLSHAPE_OK : io_hdf5_is_unreadable(err, s, &f->d);
}

static glshape_status listen_to(error *err, int pipe, const io_stream *s, const char *path, reply *r,
                                room *to) {
    prepare(pipe, s, to);
    if (!read_all(pipe, r, sizeof *r))
        return fail(err, GLSHAPE_BAD_INPUT,
                    "%s: libhdf5 broke off: the file is damaged, or memory does not suffice", s->name);
    if (r->err.status) return fail(err, r->err.status, "%s", r->err.text);
    return take_values(err, pipe, s, path, &r->found, to);
}

/* Something else may come first, in 512 · 2^k bytes: MATLAB's name, for one. */
bool io_hdf5_starts(const io_stream *s) {
    uint64_t at = starts_at(s, 0) ? 0 : FIRST_BLOCK, end = s->size == IO_SIZE_UNKNOWN ? s->have : s->size;
    while (at && at < end && !starts_at(s, at)) at *= 2;
    return at < end;
}

/* Damaged files make libhdf5 break off or turn in circles; here a process of its own does. Values that lie in
 * the file as in memory are read by this one, because a pipe takes several times as long. */
glshape_status io_hdf5_read(error *err, const io_stream *s, const char *path, const char *wanted, io_npy *npy,
                            glshape_matrix *out) {
    OWNED reply *r = NULL;
    OWNED_BY(free_room) room values = {.memory = NULL};
    int ends[2], how;
    *out = (glshape_matrix){.data = NULL};
    if (s->size == IO_SIZE_UNKNOWN)
        return fail(err, GLSHAPE_BAD_ARGUMENT,
                    "%s is HDF5, which is read from a plain file: write it to one, unpacked", s->name);
    TRY(allocate(err, &r, 1, sizeof *r, "a reply"));
    if (pipe(ends)) return fail(err, GLSHAPE_IO_ERROR, "cannot read %s: %s", s->name, strerror(errno));
#ifdef F_SETPIPE_SZ
    fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES); /* if it can be: else the two processes take turns more often */
#endif
    pid_t reader = fork();
    if (!reader) {
        close(ends[0]);
        read_and_tell(ends[1], s, path, wanted);
    }
    close(ends[1]);
    glshape_status status = reader < 0
                                ? fail(err, GLSHAPE_IO_ERROR, "cannot read %s: %s", s->name, strerror(errno))
                                : listen_to(err, ends[0], s, path, r, &values);
    close(ends[0]);
    while (reader > 0 && waitpid(reader, &how, 0) < 0 && errno == EINTR) continue;
    TRY(status);
    return io_dataset_finish(err, s->name, &r->found.d, MOVE(values.memory), npy, out);
}
