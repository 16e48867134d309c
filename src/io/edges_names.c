#include "io/edges_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/number.h"
#include "io/room.h"

enum { FIRST_SLOTS = 1 << 8 };

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

/* Keeps at least half of the slots free. */
static glshape_status make_slots(error *err, io_names *names) {
    if (names->slots && names->list.count < names->slots / 2) return GLSHAPE_OK;
    size_t slots = names->slots ? names->slots * 2 : FIRST_SLOTS;
    uint32_t *slot;
    TRY(io_room_check(err, names->list.name, times(slots, sizeof *slot)));
    TRY(allocate(err, &slot, slots, sizeof *slot, names->list.name));
    free(names->slot);
    names->slot = slot;
    names->slots = slots;
    for (size_t i = 0; i < names->list.count; i++)
        *slot_of(names, names->list.bytes + names->list.starts[i], length_of(names, i)) = (uint32_t)i + 1;
    return GLSHAPE_OK;
}

glshape_status io_names_number(error *err, io_names *names, const char *text, size_t length, uint32_t *out) {
    TRY(make_slots(err, names));
    uint32_t *slot = slot_of(names, text, length);
    if (!*slot) {
        if (names->list.count >= UINT32_MAX - 2)
            return fail(err, GLSHAPE_BAD_INPUT, "%s has more than %lu nodes", names->list.name,
                        (unsigned long)UINT32_MAX - 2);
        TRY(io_label_list_add(err, &names->list, text, length));
        *slot = (uint32_t)names->list.count;
    }
    *out = *slot - 1;
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
    *names = (io_names){.slot = NULL};
}
