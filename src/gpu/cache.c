#include "gpu/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/owned.h"

#define SUFFIX ".program"
#define UNFINISHED "unfinished." /* and what mkstemp makes of XXXXXX */
#define UNFINISHED_SECONDS 3600  /* nobody writes an entry for so long */
#define MOST_ENTRY ((size_t)1 << 30)

/* What an entry begins with; key and binary follow. checksum: of all that follows it. */
typedef struct header {
    char magic[8];
    uint64_t checksum, format, key_bytes, binary_bytes;
} header;
#define MAGIC "glshape2"

static uint64_t rotate(uint64_t x, int left) { return x << left | x >> (64 - left); }

/* Half of MurmurHash3. Each step is a bijection of the state and of the word, so that one word that is
 * damaged is always noticed. */
uint64_t cache_hash(uint64_t state, const void *data, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t word = 0;
        memcpy(&word, (const char *)data + at, bytes - at < 8 ? bytes - at : 8);
        word = rotate(word * UINT64_C(0x87c37b91114253d5), 31) * UINT64_C(0x4cf5ad432745937f);
        state = rotate(state ^ word, 27) * 5 + 0x52dce729;
    }
    return state;
}
#define HASH_BEGIN UINT64_C(0xcbf29ce484222325)

/* ---- names ------------------------------------------------------------------------------------- */

static char *join(const char *folder, const char *name) {
    size_t bytes = strlen(folder) + strlen(name) + 2;
    char *path = malloc(bytes);
    if (path) snprintf(path, bytes, "%s/%s", folder, name);
    return path;
}

char *cache_folder(void) {
    const char *own = getenv("GLSHAPE_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own && *own) return strcmp(own, "off") ? strdup(own) : NULL;
    if (xdg && *xdg == '/') return join(xdg, "glshape"); /* a relative one is to be ignored, says XDG */
    return home && *home == '/' ? join(home, ".cache/glshape") : NULL;
}

static char *entry_path(const char *folder, const char *key) {
    char name[32];
    snprintf(name, sizeof name, "%016llx" SUFFIX,
             (unsigned long long)cache_hash(HASH_BEGIN, key, strlen(key)));
    return join(folder, name);
}

static void make_folder(const char *folder) {
    OWNED char *path = strdup(folder);
    for (char *slash = path; path && (slash = strchr(slash + 1, '/'));) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(folder, 0700);
}

void cache_make(void) {
    OWNED char *folder = cache_folder();
    if (folder) make_folder(folder);
}

/* ---- entries ----------------------------------------------------------------------------------- */

static void close_file(const int *fd) {
    if (*fd >= 0) close(*fd);
}

/* Reads a whole file; *out is the caller's to free. Returns its bytes; 0: it cannot be read. */
static size_t read_file(const char *path, char **out) {
    OWNED_BY(close_file) int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat facts;
    if (fd < 0 || fstat(fd, &facts) || !S_ISREG(facts.st_mode)) return 0;
    size_t bytes = (size_t)facts.st_size, used = 0;
    if (bytes < sizeof(header) || bytes > MOST_ENTRY || !(*out = malloc(bytes))) return 0;
    for (ssize_t got = 1; used < bytes && got > 0; used += (size_t)got) {
        got = read(fd, *out + used, bytes - used);
        if (got < 0) return 0;
    }
    futimens(fd, NULL);
    return used == bytes ? bytes : 0;
}

static uint64_t checksum(const header *h, const void *key, const void *binary) {
    uint64_t state = cache_hash(HASH_BEGIN, &h->format, sizeof *h - offsetof(header, format));
    return cache_hash(cache_hash(state, key, h->key_bytes), binary, h->binary_bytes);
}

bool cache_load(const char *folder, const char *key, cache_program *out) {
    OWNED char *path = entry_path(folder, key), *entry = NULL;
    size_t bytes = path ? read_file(path, &entry) : 0, key_bytes = strlen(key);
    header h;
    if (!bytes) return false;
    memcpy(&h, entry, sizeof h);
    const char *stored = entry + sizeof h, *binary = stored + key_bytes;
    if (memcmp(h.magic, MAGIC, sizeof h.magic) || h.key_bytes != key_bytes || bytes - sizeof h < key_bytes ||
        h.binary_bytes != bytes - sizeof h - key_bytes || memcmp(stored, key, key_bytes) ||
        h.checksum != checksum(&h, stored, binary))
        return false;
    *out = (cache_program){
        .bytes = h.binary_bytes, .format = (uint32_t)h.format, .binary = malloc(h.binary_bytes + 1)};
    if (out->binary) memcpy(out->binary, binary, out->bytes);
    return out->binary != NULL;
}

static bool write_all(int fd, const void *data, size_t bytes) {
    const char *at = data;
    while (bytes) {
        ssize_t done = write(fd, at, bytes);
        if (done <= 0) return false;
        at += done;
        bytes -= (size_t)done;
    }
    return true;
}

void cache_store(const char *folder, const char *key, const cache_program *p) {
    OWNED char *path = entry_path(folder, key), *unfinished = join(folder, UNFINISHED "XXXXXX");
    if (!path || !unfinished) return;
    make_folder(folder);
    OWNED_BY(close_file) int fd = mkstemp(unfinished);
    if (fd < 0) return;
    header h = {.format = p->format, .key_bytes = strlen(key), .binary_bytes = p->bytes};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    h.checksum = checksum(&h, key, p->binary);
    bool done =
        write_all(fd, &h, sizeof h) && write_all(fd, key, h.key_bytes) && write_all(fd, p->binary, p->bytes);
    if (!done || rename(unfinished, path)) unlink(unfinished);
}

double cache_age(const char *folder, const char *key) {
    OWNED char *path = entry_path(folder, key);
    struct stat facts;
    struct timespec now;
    if (!path || stat(path, &facts) || clock_gettime(CLOCK_REALTIME, &now)) return -1;
    double age =
        (double)(now.tv_sec - facts.st_mtim.tv_sec) + 1e-9 * (double)(now.tv_nsec - facts.st_mtim.tv_nsec);
    return age > 0 ? age : 0;
}

bool cache_is_writable(const char *folder) {
    make_folder(folder);
    return !access(folder, W_OK | X_OK);
}

void cache_remove(const char *folder, const char *key) {
    OWNED char *path = entry_path(folder, key);
    if (path) unlink(path);
}

/* ---- a process that compiles ------------------------------------------------------------------- */

#define HELD "compiling"

/* Opens the file that such processes lock. -1: it is not there, or cannot be made. */
static int open_held(const char *folder, int flags) {
    OWNED char *path = join(folder, HELD);
    return path ? open(path, flags | O_CLOEXEC, 0600) : -1;
}

int cache_hold(const char *folder) {
    make_folder(folder);
    int fd = open_held(folder, O_RDWR | O_CREAT);
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    if (fd >= 0) fcntl(fd, F_SETLK, &lock);
    return fd;
}

void cache_let_go(const int *held) { close_file(held); }

bool cache_is_held(const char *folder) {
    OWNED_BY(close_file) int fd = open_held(folder, O_RDONLY);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fd >= 0 && !fcntl(fd, F_GETLK, &lock) && lock.l_type != F_UNLCK;
}

/* ---- all of them ------------------------------------------------------------------------------- */

typedef struct item {
    char name[64];
    struct timespec used;
    size_t bytes;
} item;

typedef struct listing {
    item *items;
    size_t count, room, bytes;
} listing;

static void free_listing(listing *l) { free(l->items); }

static void close_folder(DIR **d) {
    if (*d) closedir(*d);
}

static bool ends_with(const char *text, const char *end) {
    size_t a = strlen(text), b = strlen(end);
    return a >= b && !strcmp(text + a - b, end);
}

static bool is_left_over(const char *name, const struct stat *facts) {
    return !strncmp(name, UNFINISHED, strlen(UNFINISHED)) &&
           time(NULL) - facts->st_mtime > UNFINISHED_SECONDS;
}

/* Lists the entries. tidy: also deletes what is left over. What there is no memory for is not listed. */
static void list_entries(const char *folder, bool tidy, listing *l) {
    OWNED_BY(close_folder) DIR *d = opendir(folder);
    struct stat facts;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (fstatat(dirfd(d), e->d_name, &facts, AT_SYMLINK_NOFOLLOW) || !S_ISREG(facts.st_mode)) continue;
        if (tidy && is_left_over(e->d_name, &facts)) unlinkat(dirfd(d), e->d_name, 0);
        if (!ends_with(e->d_name, SUFFIX) || strlen(e->d_name) >= sizeof l->items->name) continue;
        if (memory_reserve(NULL, &l->items, &l->room, l->count + 1, sizeof *l->items, "")) continue;
        item *new = &l->items[l->count++];
        strcpy(new->name, e->d_name);
        new->used = facts.st_mtim;
        l->bytes += new->bytes = (size_t)facts.st_size;
    }
}

void cache_measure(const char *folder, size_t *entries, size_t *bytes) {
    OWNED_BY(free_listing) listing l = {0};
    list_entries(folder, false, &l);
    *entries = l.count;
    *bytes = l.bytes;
}

static int by_use(const void *a, const void *b) {
    const struct timespec *x = &((const item *)a)->used, *y = &((const item *)b)->used;
    if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

void cache_trim(const char *folder, size_t most) {
    OWNED_BY(free_listing) listing l = {0};
    list_entries(folder, true, &l);
    if (l.bytes <= most) return;
    qsort(l.items, l.count, sizeof *l.items, by_use);
    for (size_t k = 0; k < l.count && l.bytes > most; k++) {
        OWNED char *path = join(folder, l.items[k].name);
        if (path) unlink(path);
        l.bytes -= l.items[k].bytes;
    }
}
