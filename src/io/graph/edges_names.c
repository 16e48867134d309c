#include "io/graph/edges_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/number.h"
#include "io/room.h"

enum { FIRST_SLOTS = 1 << 8, FIRST_TABLE = 1 << 10 };

static size_t length_of(const io_names *names, size_t i) {
    size_t end = i + 1 < names->list.count ? names->list.starts[i + 1] : names->list.used;
    return end - names->list.starts[i] - 1;
}

/* FNV-1a, its high bits stirred into the low ones. */
static uint64_t hash(const char *text, size_t length) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    return h ^ h >> 32;
}

/* Where text is, or would be. */
static uint32_t *slot_of(const io_names *names, const char *text, size_t length) {
    size_t at = (size_t)hash(text, length) & (names->slots - 1);
    for (;; at = (at + 1) & (names->slots - 1)) {
        if (!names->slot[at]) return &names->slot[at];
        size_t i = names->slot[at] - (size_t)1;
        if (length_of(names, i) == length && !memcmp(names->list.bytes + names->list.starts[i], text, length))
            return &names->slot[at];
    }
}

/* Whether text is a whole number as one writes it: such names are looked up in a table, by their values. */
static bool is_plain(const char *text, size_t length, uint32_t *value) {
    uint32_t sum = 0;
    if (!length || length > 9 || (text[0] == '0' && length > 1)) return false;
    for (size_t i = 0; i < length; i++) {
        uint32_t digit = (uint32_t)(unsigned char)text[i] - '0';
        if (digit > 9) return false;
        sum = 10 * sum + digit;
    }
    *value = sum;
    return true;
}

static bool is_in_table(const io_names *names, size_t i, uint32_t *value) {
    return is_plain(names->list.bytes + names->list.starts[i], length_of(names, i), value) &&
           *value < names->table_size;
}

/* Keeps at least half of the slots free. */
static glshape_status make_slots(error *err, io_names *names) {
    uint32_t value;
    if (names->slots && names->hashed < names->slots / 2) return GLSHAPE_OK;
    size_t slots = names->slots ? names->slots * 2 : FIRST_SLOTS;
    uint32_t *slot;
    TRY(io_room_check(err, names->list.name, times(slots, sizeof *slot)));
    TRY(allocate(err, &slot, slots, sizeof *slot, names->list.name));
    free(names->slot);
    names->slot = slot;
    names->slots = slots;
    for (size_t i = 0; i < names->list.count; i++)
        if (!is_in_table(names, i, &value))
            *slot_of(names, names->list.bytes + names->list.starts[i], length_of(names, i)) = (uint32_t)i + 1;
    return GLSHAPE_OK;
}

/* Makes a table that has the value, unless it would be much longer than there are names. Names of its values
 * are found there from then on. */
static glshape_status make_table(error *err, io_names *names, uint32_t value) {
    size_t size = names->table_size ? names->table_size : FIRST_TABLE;
    uint32_t *table, other;
    if (value < names->table_size || value >= 4 * (names->list.count + FIRST_TABLE / 4)) return GLSHAPE_OK;
    while (size <= value) size *= 2;
    TRY(io_room_check(err, names->list.name, times(size, sizeof *table)));
    TRY(allocate(err, &table, size, sizeof *table, names->list.name));
    free(names->table);
    names->table = table;
    names->table_size = size;
    for (size_t i = 0; i < names->list.count; i++)
        if (is_in_table(names, i, &other)) table[other] = (uint32_t)i + 1;
    return GLSHAPE_OK;
}

glshape_status io_names_number(error *err, io_names *names, const char *text, size_t length, uint32_t *out) {
    uint32_t value = 0, *place;
    bool plain = is_plain(text, length, &value);
    if (plain) TRY(make_table(err, names, value));
    bool listed = plain && value < names->table_size;
    if (!listed) TRY(make_slots(err, names));
    place = listed ? &names->table[value] : slot_of(names, text, length);
    if (!*place) {
        if (names->list.count >= UINT32_MAX - 2)
            return fail(err, GLSHAPE_BAD_INPUT, "%s has more than %lu nodes", names->list.name,
                        (unsigned long)UINT32_MAX - 2);
        TRY(io_label_list_add(err, &names->list, text, length));
        names->hashed += !listed;
        *place = (uint32_t)names->list.count;
    }
    *out = *place - 1;
    return GLSHAPE_OK;
}

bool io_names_whole(const io_names *names, size_t i, uint64_t *out) {
    double value;
    bool number = io_number_parse(names->list.bytes + names->list.starts[i], length_of(names, i), &value);
    if (!number || !(value >= 0 && value < 0x1p53) || value != floor(value)) return false;
    *out = (uint64_t)value;
    return true;
}

glshape_status io_names_copy(error *err, const io_names *names, size_t first, char ***out) {
    size_t count = names->list.count - first, skip = count ? names->list.starts[first] : 0;
    size_t texts = names->list.used - skip;
    TRY(allocate(err, out, times(count, sizeof **out) + texts, 1, names->list.name));
    char *text = (char *)(*out + count);
    memcpy(text, names->list.bytes + skip, texts);
    for (size_t i = 0; i < count; i++) (*out)[i] = text + (names->list.starts[first + i] - skip);
    return GLSHAPE_OK;
}

void io_names_free(io_names *names) {
    io_label_list_free(&names->list);
    free(names->slot);
    free(names->table);
    *names = (io_names){.slot = NULL};
}
