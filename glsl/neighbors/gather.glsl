// Copies the points of four queries side by side, in the form that points has.
float one(uint q, uint t) {
    uint point = query(q).x;
    return points(point / 4u, t)[point & 3u];
}

void kernel(uint e, uint t) {
    uint last = count - 1u;
    chosen = vec4(one(min(4u * e, last), t), one(min(4u * e + 1u, last), t), one(min(4u * e + 2u, last), t),
                  one(min(4u * e + 3u, last), t));
}
