#include "io/label_list.h"

#include <stdlib.h>
#include <string.h>

#include "io/number.h"
#include "io/room.h"

enum { FIRST_BYTES = 1 << 12, FIRST_LABELS = 1 << 9 };

glshape_status io_label_list_add(error *err, io_label_list *list, const char *text, size_t length) {
    size_t used = list->used + length + 1;
    if (used > list->capacity)
        TRY(io_room_grow(err, list->name, &list->bytes, &list->capacity, used + FIRST_BYTES, SIZE_MAX, 1));
    if (list->count == list->starts_capacity)
        TRY(io_room_grow(err, list->name, &list->starts, &list->starts_capacity, list->count + FIRST_LABELS,
                         SIZE_MAX, sizeof *list->starts));
    memcpy(list->bytes + list->used, text, length);
    list->bytes[used - 1] = '\0';
    list->starts[list->count++] = list->used;
    list->used = used;
    return GLSHAPE_OK;
}

/* Turns the doubled quotes inside a quoted field into single ones. */
static size_t undouble(char *text, size_t length) {
    size_t kept = 0;
    for (size_t i = 0; i < length; i++) {
        text[kept++] = text[i];
        if (text[i] == '"' && i + 1 < length && text[i + 1] == '"') i++;
    }
    return kept;
}

glshape_status io_label_list_add_field(error *err, io_label_list *list, const io_field *field) {
    TRY(io_label_list_add(err, list, field->text, field->length));
    if (!field->quoted) return GLSHAPE_OK;
    size_t start = list->starts[list->count - 1];
    size_t length = undouble(list->bytes + start, field->length);
    list->bytes[start + length] = '\0';
    list->used = start + length + 1;
    return GLSHAPE_OK;
}

bool io_label_list_counts(const io_label_list *list) {
    double first = 0, value;
    for (size_t i = 0; i < list->count; i++) {
        const char *text = io_label_at(list, i);
        if (!io_number_parse(text, strlen(text), &value)) return false;
        if (!i) first = value;
        if (value != first + (double)i || first < 0 || first > 1) return false;
    }
    return true;
}

void io_label_list_free(io_label_list *list) {
    free(list->bytes);
    free(list->starts);
    *list = (io_label_list){.count = 0};
}
