// The stars of sites that follow each other, a tile, from the sites in their box and a margin around it. They are closed
// if all circles are within the margin and all signs were certain in single precision; else the ring is handed on.
#include "delaunay/ring.glsl"
#include "lib/barrier.glsl"

#define MARGIN 2.75 // times the distance of sites
#define LEAVES 256u // beside a tile
#define CHUNK 16u   // leaves whose sites are looked at together
#define LEAF (1u << LEAF_BITS)

shared vec2 place[CHUNK * LEAF];
shared uint node[2u * LEAVES], nodes[2];
shared uint listed_here, listed_before, pending_here, pending_before;

vec2 low = vec2(0), high = vec2(0); // the margin's box, from the tile's least corner
uvec4 corner = uvec4(0u);

uint boxes_of(uint level) {
    uint bits = LEAF_BITS + FAN_BITS * level;
    return (n + (1u << bits) - 1u) >> bits;
}

vec2 from_corner(uvec4 s) { return scale * vec2(whole_apart(s.xy, corner.xy), whole_apart(s.zw, corner.zw)); }

bool touches(uint v) {
    uvec4 least = box(v, 0u), most = box(v, 1u);
    if (least == uvec4(NONE)) return false;
    vec2 slack = vec2(1e-3 * (high - low));
    return all(lessThanEqual(from_corner(least), high + slack)) &&
           all(greaterThanEqual(from_corner(most), low - slack));
}

// Leaves the leaves that touch the margin, but for the tile's own, in node[]; returns whether there was room.
bool find_leaves(uint group, out uint from, out uint count) {
    uint lane = gl_LocalInvocationIndex, level = 0u, base = 0u;
    for (; boxes_of(level) > 1u; level++) base += boxes_of(level);
    from = 0u;
    if (lane == 0u) {
        node[0] = 0u;
        nodes[0] = 1u;
    }
    bool room = true;
    group_barrier();
    for (; level > 0u; level--) {
        uint parents = min(nodes[from], LEAVES), to = 1u - from, all = boxes_of(level - 1u);
        room = room && nodes[from] <= LEAVES;
        base -= all;
        if (lane == 0u) nodes[to] = 0u;
        group_barrier();
        for (uint c = lane; c < parents << FAN_BITS; c += LOCAL) {
            uint v = (node[from * LEAVES + (c >> FAN_BITS)] << FAN_BITS) | (c & ((1u << FAN_BITS) - 1u));
            bool own = level == 1u && (v >> TILE_LEAVES) == group;
            if (v >= all || own || !touches(base + v)) continue;
            uint slot = atomicAdd(nodes[to], 1u);
            if (slot < LEAVES) node[to * LEAVES + slot] = v;
        }
        from = to;
        group_barrier();
    }
    count = min(nodes[from], LEAVES);
    return room && nodes[from] <= LEAVES;
}

bool is_within(vec4 d, uint e, vec2 own) {
    vec2 center = own + 0.5 * d.xy;
    float radius = 0.51 * length(d.xy);
    return e < GHOST && !is_flat(d) && all(greaterThan(center - radius, low)) && all(lessThan(center + radius, high));
}

bool is_in_margin(vec2 own) {
    for (uint i = 0u; i < k; i++)
        if (!is_within(disc_at(i), corner_name(i), own)) return false;
    return true;
}

// Returns false if the candidate is left out.
bool try_site(uint e, vec2 q, float qq) {
    if (!is_in_range(qq)) return false;
    uvec2 circles = circles_around(q, qq);
    return circles.y == 0u && (circles.x == 0u || insert(circles.x, e, q));
}

// The tile's box; sets scale.
void measure(uint group) {
    uint v = boxes_of(0u) + (group << (TILE_LEAVES - FAN_BITS)), end = boxes_of(0u) + boxes_of(1u);
    if (boxes_of(0u) == 1u) {
        v = 0u;
        end = 1u;
    }
    corner = box(v, 0u);
    uvec4 most = box(v, 1u);
    for (uint i = 1u; i < 1u << (TILE_LEAVES - FAN_BITS) && v + i < end; i++) {
        uvec4 least = box(v + i, 0u), greatest = box(v + i, 1u);
        if (whole_less(least.xy, corner.xy)) corner.xy = least.xy;
        if (whole_less(least.zw, corner.zw)) corner.zw = least.zw;
        if (whole_less(most.xy, greatest.xy)) most.xy = greatest.xy;
        if (whole_less(most.zw, greatest.zw)) most.zw = greatest.zw;
    }
    vec2 size = vec2(whole_apart(most.xy, corner.xy), whole_apart(most.zw, corner.zw));
    float width = max(size.x, size.y);
    set_scale(width);
    size *= scale;
    width *= scale;
    float margin = MARGIN * max(sqrt(size.x * size.y / float(LOCAL)), width / float(LOCAL));
    low = vec2(-margin);
    high = size + margin;
    blur += width + 2.0 * margin;
}

// The leaf of a candidate: of the tile itself, or of those around it.
uint leaf_of(uint group, bool own, uint from, uint chunk, uint c) {
    return own ? (group << TILE_LEAVES) | (c >> LEAF_BITS) : node[from * LEAVES + chunk + (c >> LEAF_BITS)];
}

// Returns whether all candidates were tried.
bool find_star(uint group, bool is_site) {
    uint lane = gl_LocalInvocationIndex, from, count, chunk = 0u;
    vec2 mine = from_corner(home);
    k = 4u;
    for (uint i = 0u; i < 4u; i++) set_corner(i, GHOST + i, ghost_at(i));
    set_circles();
    bool whole = find_leaves(group, from, count);
    for (bool own = true; own || chunk < count; own = false) {
        uint sites = own ? LOCAL : min(count - chunk, CHUNK) << LEAF_BITS;
        group_barrier();
        for (uint c = lane; c < sites; c += LOCAL) {
            uint e = (leaf_of(group, own, from, chunk, c) << LEAF_BITS) | (c & (LEAF - 1u));
            uvec4 s = e < n ? site(e) : uvec4(NO_SITE);
            place[c] = s == uvec4(NO_SITE) ? vec2(1e19) : from_corner(s);
        }
        group_barrier();
        for (uint c = own ? 1u : 0u; c < sites; c++) {
            uint slot = own ? lane ^ c : c;
            vec2 q = place[slot] - mine;
            float qq = dot(q, q);
            uint e = (leaf_of(group, own, from, chunk, slot) << LEAF_BITS) | (slot & (LEAF - 1u));
            if (qq < reach && is_site && !try_site(e, q, qq)) whole = false;
        }
        chunk += own ? 0u : CHUNK;
    }
    return whole;
}

void kernel(uint group) {
    uint lane = gl_LocalInvocationIndex;
    if (lane == 0u) listed_here = pending_here = 0u;
    me = group * LOCAL + lane;
    home = me < n ? site(me) : uvec4(NO_SITE);
    bool is_site = home != uvec4(NO_SITE);
    measure(group);
    bool is_whole = find_star(group, is_site), is_pending = is_site && !(is_whole && is_in_margin(from_corner(home)));
    uint list_place = 0u, pending_place = 0u;
    if (is_site) list_place = atomicAdd(listed_here, is_pending ? MOST : k);
    if (is_pending) pending_place = atomicAdd(pending_here, 1u);
    group_barrier();
    if (lane == 0u) {
        listed_before = counters_atomic_add(LISTED, listed_here);
        pending_before = counters_atomic_add(PENDING, pending_here);
    }
    group_barrier();
    if (me >= n) return;
    if (is_pending) pending_store(pending_before + pending_place, 0u, me);
    list_place += listed_before;
    star_store(me, uvec2(list_place, is_site ? k : 0u));
    for (uint i = 0u; is_site && i < k; i++) list_store(list_place + i, 0u, corner_name(i));
}
