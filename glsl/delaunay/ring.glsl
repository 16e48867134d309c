// The star of a site: its neighbors in the triangulation, counter-clockwise.
//
// The site is the origin here, and others are its candidates. The ring is the star among the candidates so far: two that
// follow each other are a triangle with the site, and no candidate is in its circle. A new one that is in circles takes
// the place of what lies between the first and the last of these. At first the ring is four ghosts, far away. (Under
// inversion about the site, the ring is a convex hull.)
//
// The ring is in registers: so each place of an array is named by a constant, and loops go through corners one by one.
#include "delaunay/whole.glsl"
#include "delaunay/counters.glsl"

#define MOST 12u // neighbors
#define GHOST 0xfffffff0u
#define FAR_BITS 12u    // ghosts are so many times, as a power of two, the size of the box around the site away,
#define MOST_FAR 61u    // and less than so many bits
#define LARGEST 1.6e7   // candidates are not farther away,
#define SMALLEST 3.7e-9 // nor nearer: products of four distances are neither infinite nor zero
#define NOWHERE 1e30    // an error beyond any value
#define FAR_OUT 1e36    // beyond the square of any distance

// Places are rounded: by ROUNDED of what they are from the origin, and by PLACE of blur. Each is three times what
// rounding can be. circle() says how that grows.
#define ROUNDED 2e-6
#define PLACE 1e-6
#define KNOWN 0.004 // a circle is known well if its center's error is below so many of its radius

uint me = 0u, k = 0u;
uvec4 home = uvec4(0u);
float scale = 0.0;  // of units: a power of two
uint far_bits = 0u; // units
float blur = 0.0;   // how far places are from where they were rounded
float reach = 0.0;  // of squared distances, beyond which no circle is

// Where corner i is, and which site; circle() of corners i and i + 1.
vec2 at[MOST];
uint name[MOST];
vec4 disc[MOST];

float cross2(vec2 a, vec2 b) { return a.x * b.y - a.y * b.x; }

// Twice the center of the circle through the origin, a and b; the part of a candidate's error that grows with its
// distance, and the part that does not.
//
// Twice the center, w, has w·a = a·a and w·b = b·b. If a is wrong by d, and b too, w is so by
// (|b|(2|a| + |w|) + |a|(2|b| + |w|))·d / (a × b) at most. The value of a candidate q, q·q - w·q, is then wrong by |q|
// times that, and by (2|q| + |w|)·d for the place of q. Where a × b is not known well, the error is beyond all values.
vec4 circle(vec2 a, vec2 b) {
    float aa = dot(a, a), bb = dot(b, b), both = sqrt(aa) * sqrt(bb), sum = sqrt(aa) + sqrt(bb), z = cross2(a, b);
    vec2 v = aa * b - bb * a, w = vec2(v.y, -v.x) / z;
    float size = length(w), place = PLACE * blur;
    float part = ROUNDED * (both / z * (sum + size) + size) + place * ((4.0 * both + size * sum) / z + 2.0);
    bool known = z > 1e-5 * both && z > 4.0 * place * sum;
    return known ? vec4(w, part, place * size) : vec4(0.0, 0.0, NOWHERE, 0.0);
}

bool is_flat(vec4 d) { return d.z > KNOWN * length(d.xy); }

float reach_of(vec4 d) { return is_flat(d) ? FAR_OUT : dot(d.xy, d.xy) * 1.02; }

bool is_in_range(float qq) { return qq >= SMALLEST * SMALLEST && qq <= LARGEST * LARGEST; }

// Candidate q is in the circle if this is negative.
float value_at(vec4 d, vec2 q, float qq) { return qq - dot(d.xy, q); }

float error_at(vec4 d, float q) { return q * (d.z + ROUNDED * q) + d.w; }

uint after(uint i) { return i + 1u == k ? 0u : i + 1u; }

// ---- places ----------------------------------------------------------------------------------------

vec2 corner_at(uint i) {
    vec2 found = at[0];
#repeat 11 found = i == @u + 1u ? at[@+1] : found;
    return found;
}

uint corner_name(uint i) {
    uint found = name[0];
#repeat 11 found = i == @u + 1u ? name[@+1] : found;
    return found;
}

vec4 disc_at(uint i) {
    vec4 found = disc[0];
#repeat 11 found = i == @u + 1u ? disc[@+1] : found;
    return found;
}

void shift_down(uint i) {
#repeat 11 if (@u >= i) { at[@] = at[@+1]; name[@] = name[@+1]; disc[@] = disc[@+1]; }
}

void shift_up(uint i) {
#repeat 11 if (10u - @u >= i) { at[11 - @] = at[10 - @]; name[11 - @] = name[10 - @]; disc[11 - @] = disc[10 - @]; }
}

void set_corner(uint i, uint e, vec2 q) {
#repeat 12 if (@u == i) { at[@] = q; name[@] = e; }
}

void set_circle(uint i) {
    vec4 d = circle(corner_at(i), corner_at(after(i)));
#repeat 12 if (@u == i) disc[@] = d;
}

void find_reach() {
    reach = 0.0;
#repeat 12 if (@u < k) reach = max(reach, reach_of(disc[@]));
}

// ---- the ring --------------------------------------------------------------------------------------

// The circles that a candidate is in, if single precision is right, and those of which that is not certain: bits.
uvec2 circles_around(vec2 q, float qq) {
    float distance = sqrt(qq), value;
    uvec2 found = uvec2(0u);
#define TEST(i)                       \
    value = value_at(disc[i], q, qq); \
    found |= uvec2(value < 0.0, abs(value) <= error_at(disc[i], distance)) << i;
#repeat 12 TEST(@)
    return found & ((1u << k) - 1u);
}

// Puts q between the corners around the circles that it is in. Returns false, and changes nothing, if these do not follow
// each other, which comes from a wrong sign, or if the ring is full.
bool insert(uint inside, uint e, vec2 q) {
    uint all = (1u << k) - 1u, follows = ((inside << 1u) | (inside >> (k - 1u))) & all, first = inside & ~follows,
         gone = inside & follows;
    if (first == 0u || (first & (first - 1u)) != 0u || k - uint(bitCount(gone)) >= MOST) return false;
    uint i = uint(findLSB(first)) + 1u - uint(bitCount(gone & (first - 1u)));
    for (; gone != 0u; k--) {
        uint last = uint(findMSB(gone));
        shift_down(last);
        gone ^= 1u << last;
    }
    shift_up(i);
    set_corner(i, e, q);
    k++;
    for (uint c = 0u; c < 2u; c++) set_circle(i - 1u + c);
    find_reach();
    return true;
}

vec2 ghost_at(uint i) {
    float away = scale * uintBitsToFloat((127u + far_bits) << 23u);
    away = (i & 2u) == 0u ? away : -away;
    return (i & 1u) == 0u ? vec2(away, 0.0) : vec2(0.0, away);
}

// width: of the box around the site, in units.
void set_scale(float width) {
    uint bits = uint(width > 1.0 ? log2(width) : 0.0);
    scale = uintBitsToFloat((127u - bits) << 23u);
    far_bits = min(FAR_BITS + bits, MOST_FAR);
    blur = unit == 0 ? 0.0 : 4e6 * scale; // parts of units are cut off: PLACE of this is 4 units
}

// Corners of names that are given.
void set_circles() {
    for (uint i = 0u; i < k; i++) set_circle(i);
    find_reach();
}
