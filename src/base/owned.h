/* Ownership by scope. What a variable holds is released when the variable goes out of scope, however the
 * function is left: by its end, a return, or TRY. So nothing is freed by hand on the way out, and no failure
 * needs a path of its own.
 *
 *     OWNED float *row = NULL;                                  free(row)
 *     OWNED_BY(gpu_texture_free) gpu_texture table = {0};       gpu_texture_free(&table)
 *     TRY(allocate(err, &row, n, sizeof *row, "a row"));
 *     TRY(gpu_texture_new(g, &table, …));
 *     *out = MOVE(table);                                       handed out: nothing is released here
 *
 * Initialise such a variable where it is declared, with a value that its release accepts and ignores (NULL,
 * {0}). This is a GNU attribute: gcc and clang have it under -std=c11 as well. */
#ifndef GLSHAPE_BASE_OWNED_H
#define GLSHAPE_BASE_OWNED_H

#include <stdlib.h>
#include <string.h>

/* release is called with the variable's address. */
#define OWNED_BY(release) __attribute__((cleanup(release)))
#define OWNED OWNED_BY(owned_free)

/* Returns the value of the variable and sets all its bytes to 0: the value has a new owner. */
#define MOVE(variable) \
    (*(__typeof__(variable) *)owned_move(&(variable), &(__typeof__(variable)){0}, sizeof(variable)))

static inline void owned_free(void *variable) {
    void *block;
    memcpy(&block, variable, sizeof block);
    free(block);
}

static inline void *owned_move(void *from, void *to, size_t size) {
    memcpy(to, from, size);
    memset(from, 0, size);
    return to;
}

#endif
