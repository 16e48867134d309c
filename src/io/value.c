#include "io/value.h"

#include <inttypes.h>
#include <stdio.h>

static size_t print_signed(char out[IO_NUMBER_ROOM], int64_t value) {
    return (size_t)snprintf(out, IO_NUMBER_ROOM, "%" PRId64, value);
}

static size_t print_unsigned(char out[IO_NUMBER_ROOM], uint64_t value) {
    return (size_t)snprintf(out, IO_NUMBER_ROOM, "%" PRIu64, value);
}

size_t io_value_print(char out[IO_NUMBER_ROOM], const glshape_matrix *m, size_t i) {
    const void *data = m->data;
    switch (m->type) {
        case GLSHAPE_F32:
            return io_number_print_float(out, ((const float *)data)[i]);
        case GLSHAPE_F64:
            return io_number_print(out, ((const double *)data)[i]);
        case GLSHAPE_I8:
            return print_signed(out, ((const int8_t *)data)[i]);
        case GLSHAPE_I16:
            return print_signed(out, ((const int16_t *)data)[i]);
        case GLSHAPE_I32:
            return print_signed(out, ((const int32_t *)data)[i]);
        case GLSHAPE_I64:
            return print_signed(out, ((const int64_t *)data)[i]);
        case GLSHAPE_U8:
            return print_unsigned(out, ((const uint8_t *)data)[i]);
        case GLSHAPE_U16:
            return print_unsigned(out, ((const uint16_t *)data)[i]);
        case GLSHAPE_U32:
            return print_unsigned(out, ((const uint32_t *)data)[i]);
        case GLSHAPE_U64:
            return print_unsigned(out, ((const uint64_t *)data)[i]);
    }
    out[0] = '\0';
    return 0;
}
