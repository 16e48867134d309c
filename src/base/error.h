/* Failure as a value: a status for the program, a sentence for the person. */
#ifndef GLSHAPE_BASE_ERROR_H
#define GLSHAPE_BASE_ERROR_H

#include <glshape.h>

typedef struct error {
    glshape_status status;
    char text[1024];
    char notes[2048]; /* lines: what was taken for granted although nothing failed */
} error;

/* Fills err with a printf-formatted sentence (no final full stop, no newline) and returns status.
 * The sentence says what, where (file, row, column) and what to do. err may be NULL. */
glshape_status fail(error *err, glshape_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends a printf-formatted sentence to err->notes, each once; one that has no room is left out. err may be
 * NULL. */
void note(error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Refuses an enumerator of a caller that is none of 0 … last. what: "search". GLSHAPE_BAD_ARGUMENT. */
glshape_status error_check_choice(error *err, int choice, int last, const char *what);

/* GLSHAPE_BAD_ARGUMENT unless the GLSHAPE_RESERVED words of a caller's structure are 0. NULL: there is none.
 * what: "options". */
glshape_status error_check_reserved(error *err, const char *what, const uint64_t *reserved);

/* Returns from the calling function with the status of expr unless it is GLSHAPE_OK. */
#define TRY(expr)                                  \
    do {                                           \
        glshape_status status_ = (expr);           \
        if (status_ != GLSHAPE_OK) return status_; \
    } while (0)

#endif
