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
#define ERROR 3.8147e-6 // 2^-18: of values in single precision, times the sizes of what is added
#define FLAT 2.4e-4     // the sine of an angle at the site below which a circle is not known well
#define NOWHERE 1e30    // beyond any circle

uint me, k;
uvec4 home;
float scale;   // of units: a power of two
uint far_bits; // units
float blur;    // places are wrong by 2^-23 of this at most
float reach;   // of squared distances, beyond which no circle is

// Of corner i: where it is, and which site. Of the circle through corners i and i + 1: twice its center; the part of the
// error that grows with a candidate's distance, and with its square.
vec2 at[MOST];
uint name[MOST];
vec4 disc[MOST];

float cross2(vec2 a, vec2 b) { return a.x * b.y - a.y * b.x; }

vec4 circle(vec2 a, vec2 b) {
    float aa = dot(a, a), bb = dot(b, b), both = sqrt(aa) * sqrt(bb), sum = sqrt(aa) + sqrt(bb), z = cross2(a, b);
    vec2 v = aa * b - bb * a;
    float part = ERROR * both / z;
    bool known = z > 1e-5 * both && z > ERROR * blur * sum;
    return known ? vec4(vec2(v.y, -v.x) / z, part * (sum + blur), part) : vec4(0.0, 0.0, NOWHERE, 1.0);
}

bool is_flat(vec4 d) { return d.w > ERROR / FLAT; }

float reach_of(vec4 d) { return is_flat(d) ? NOWHERE : dot(d.xy, d.xy) * 1.02; }

// Candidate q is in the circle if this is negative.
float value_at(vec4 d, vec2 q, float qq) { return qq - dot(d.xy, q); }

float error_at(vec4 d, float q) { return q * (d.z + d.w * q); }

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

// Of a box of this width, in units.
void set_scale(float width) {
    uint bits = uint(width > 1.0 ? log2(width) : 0.0);
    scale = uintBitsToFloat((127u - bits) << 23u);
    far_bits = min(FAR_BITS + bits, MOST_FAR);
    blur = unit == 0 ? 0.0 : 16777216.0 * scale; // units that are not whole are cut off
}

// Corners of names that are given.
void set_circles() {
    for (uint i = 0u; i < k; i++) set_circle(i);
    find_reach();
}
