/* Temporary files: they stand beside the file that they will replace, are locked while they are being
 * written, and are removed however the run ends. One thread at a time makes and ends them. */
#ifndef GLSHAPE_IO_TEMPORARY_H
#define GLSHAPE_IO_TEMPORARY_H

/* A file that must not outlive the run. */
typedef struct io_temporary {
    struct io_temporary *next;
    const char *name;
} io_temporary;

/* From watch to forget, io_temporary_remove_all() removes the file of that name if it exists. t and name
 * are borrowed. Forgetting what is not watched does nothing. */
void io_temporary_watch(io_temporary *t, const char *name);
void io_temporary_forget(io_temporary *t);

/* Removes all watched files. For the handler of a signal that ends the process, on the thread that makes
 * the files. */
void io_temporary_remove_all(void);

/* Makes and watches the file "PATH.PID-N.tmp"; its name goes to `name`, which has room for
 * IO_TEMPORARY_ROOM characters more than path. Also removes files of such names that nobody has locked:
 * killed runs have left them. Returns a descriptor to write to, which holds the lock together with all its
 * duplicates; -1 with errno on failure. */
enum { IO_TEMPORARY_ROOM = 48 };
int io_temporary_make(io_temporary *t, const char *path, char *name);

#endif
