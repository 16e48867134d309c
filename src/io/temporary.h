/* Temporary files: beside what they will replace, locked while they are being written, and gone however the
 * run ends. One thread at a time makes and ends them. */
#ifndef GLSHAPE_IO_TEMPORARY_H
#define GLSHAPE_IO_TEMPORARY_H

/* A file that must not outlive the run. */
typedef struct io_temporary {
    struct io_temporary *next;
    const char *name;
} io_temporary;

/* Between the two, io_temporary_remove_all() removes the file of that name, if there is one by then. t and
 * name are borrowed. To forget what is not watched does nothing. */
void io_temporary_watch(io_temporary *t, const char *name);
void io_temporary_forget(io_temporary *t);

/* Removes all that are watched: for the handler of a signal that ends the process, on the thread that makes
 * them. */
void io_temporary_remove_all(void);

/* Makes and watches "PATH.PID-N.tmp", in name, which has room for IO_TEMPORARY_ROOM characters more than
 * path, and removes what runs that were killed have left of the same path: files of such names that nobody
 * has locked. Returns a descriptor to write to, which holds the lock with all its duplicates; -1 with errno.
 */
enum { IO_TEMPORARY_ROOM = 48 };
int io_temporary_make(io_temporary *t, const char *path, char *name);

#endif
