#include "base/matrix.h"

#include <math.h>

glshape_status matrix_check_values(error *err, glshape_type type, const void *values, size_t count) {
    TRY(error_check_choice(err, (int)type, GLSHAPE_U64, "type"));
    if (values || !count) return GLSHAPE_OK;
    return fail(err, GLSHAPE_BAD_ARGUMENT, "the pointer to the values is NULL, and there should be some");
}

size_t matrix_value_size(glshape_type type) {
#define SIZE(name, ctype, code) [name] = sizeof(ctype),
    static const size_t sizes[] = {GLSHAPE_TYPES(SIZE)};
#undef SIZE
    return sizes[type];
}

double matrix_value(glshape_type type, const void *values, size_t v) {
#define VALUE(name, ctype, code) \
    case name:                   \
        return (double)((const ctype *)values)[v];
    switch (type) { GLSHAPE_TYPES(VALUE) }
#undef VALUE
    return NAN;
}

/* Eight at a time: compilers make a few instructions of these. */
void matrix_doubles(const glshape_matrix *m, size_t first, size_t count, double *restrict out) {
#define DOUBLES(name, ctype, code)                                           \
    case name: {                                                             \
        const ctype *restrict from = (const ctype *)m->data + first;         \
        size_t i = 0;                                                        \
        for (; i + 8 <= count; i += 8)                                       \
            for (size_t k = 0; k < 8; k++) out[i + k] = (double)from[i + k]; \
        for (; i < count; i++) out[i] = (double)from[i];                     \
        break;                                                               \
    }
    switch (m->type) { GLSHAPE_TYPES(DOUBLES) }
#undef DOUBLES
}
