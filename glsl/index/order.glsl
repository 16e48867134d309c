// The order of doubles, in words, the low one first.

// Two words, the high one first, that compare as the double does; -0.0 counts as +0.0.
uvec2 ordered_double(uvec2 words) {
    if (words == uvec2(0u, 0x80000000u)) words.y = 0u;
    return (words.y & 0x80000000u) != 0u ? uvec2(~words.y, ~words.x) : uvec2(words.y | 0x80000000u, words.x);
}

bool comes_first(uvec2 a, uvec2 b) { // of ordered doubles
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

bool is_less(uvec2 a, uvec2 b) { return comes_first(ordered_double(a), ordered_double(b)); }
