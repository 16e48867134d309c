#include "plot/primitives.h"

#include "base/memory.h"
#include "plot/font.h"
#include "plot/polygon.h"

/* With at == NULL only counts. */
typedef struct sink {
    primitives *list;
    uint32_t colour;
} sink;

static void put(primitives *list, primitive p) {
    if (list->at) list->at[list->count] = p;
    list->count++;
}

static void put_stroke(void *user, float x0, float y0, float x1, float y1, float radius) {
    sink *s = user;
    put(s->list, (primitive){x0, y0, x1, y1, radius, s->colour});
}

static void put_rectangle(void *user, float x0, float y0, float x1, float y1) {
    sink *s = user;
    put(s->list, (primitive){x0, y0, x1, y1, -1, s->colour});
}

static glshape_status walk(error *err, const plot_canvas *c, primitives *list) {
    list->count = 0;
    for (size_t i = 0; i < c->count; i++) {
        const plot_shape *s = &c->shapes[i];
        sink to = {list, s->colour};
        if (s->kind == PLOT_TEXT) font_draw(s, c->text + s->first, put_stroke, &to);
        else if (s->kind == PLOT_POLYGON)
            TRY(polygon_rows(err, c->corners + s->first, s->count, c->height, put_rectangle, &to));
        else
            put(list,
                (primitive){s->x0, s->y0, s->x1, s->y1, s->kind == PLOT_RECT ? -1 : s->size, s->colour});
    }
    return GLSHAPE_OK;
}

glshape_status primitives_of(error *err, const plot_canvas *c, primitives *out) {
    *out = (primitives){0};
    TRY(walk(err, c, out));
    if (out->count > UINT32_MAX - 1)
        return fail(err, GLSHAPE_BAD_ARGUMENT, "a picture of %zu shapes: at most %u can be painted",
                    out->count, UINT32_MAX - 1);
    TRY(allocate(err, &out->at, out->count, sizeof *out->at, "the list of shapes"));
    return walk(err, c, out);
}
