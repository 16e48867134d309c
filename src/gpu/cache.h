/* Linked programs on disk, so that a driver compiles a program once and not in every process.
 *
 * An entry is a file. It holds its whole key, so that a program is never taken for another, and a checksum,
 * so that a damaged entry is no entry. It is written under another name and then renamed: whoever reads it,
 * reads all of it. Nothing here can fail for the caller: what cannot be read is not there, what cannot be
 * written is left out. */
#ifndef GLSHAPE_GPU_CACHE_H
#define GLSHAPE_GPU_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_MOST ((size_t)64000000) /* bytes of all entries, once cache_trim has run */

/* Returns the folder that the environment names, which need not exist; the caller frees it. GLSHAPE_CACHE
 * names it; else it is glshape in XDG_CACHE_HOME, or in .cache in HOME. NULL: there is none, or GLSHAPE_CACHE
 * is "off". */
char *cache_folder(void);

/* Goes on with a hash, eight bytes at a time, from any number at first. Bytes that do not come in eights are
 * hashed alone, so that what is hashed in parts has another hash than the whole. */
uint64_t cache_hash(uint64_t state, const void *data, size_t bytes);

/* Makes that folder, silently. Some drivers keep programs of their own where a folder of caches is, and only
 * if it is there when they are opened. */
void cache_make(void);

/* A program as glGetProgramBinary gives it. */
typedef struct cache_program {
    void *binary;
    size_t bytes;
    uint32_t format;
} cache_program;

/* Reads the entry of a key, and makes it the one used last. Returns false if there is none. The caller frees
 * out->binary. */
bool cache_load(const char *folder, const char *key, cache_program *out);
/* Writes the entry of a key in place of an older one. Makes the folder if it is not there. */
void cache_store(const char *folder, const char *key, const cache_program *p);
/* Returns how many seconds ago the entry of a key was written or used; -1 if there is none. */
double cache_age(const char *folder, const char *key);
/* Whether entries can be written; makes the folder if it is not there. */
bool cache_is_writable(const char *folder);
void cache_remove(const char *folder, const char *key);
/* Says to other processes, until cache_let_go() or the end of this one, that it compiles programs for later
 * runs; returns what is to be let go. Whether another process does. */
int cache_hold(const char *folder);
void cache_let_go(const int *held);
bool cache_is_held(const char *folder);
/* Counts the entries and their bytes. */
void cache_measure(const char *folder, size_t *entries, size_t *bytes);
/* Deletes the entries that were not used for the longest time, until all others take at most `most` bytes;
 * and what processes that ended have left half written. */
void cache_trim(const char *folder, size_t most);

#endif
