// Compares a block of rows with columns column_first … column_end - 1 of a part of all columns, tile by tile. When a list has
// more than CROWD candidates, so that those of another tile might not fit, a sweep makes room.
//   part_columns: columns of a part; part_groups: so many blocks of rows are compared with the first part, so many with the
//   second …
//
// The including shader defines
//   bool is_own(uint own, uint index)                    whether point `index` is the point of element `own` of list
//   void raise(uint column, uint tx, uint ty)            may change the sums of a tile
#define CROWD (uint(CAPACITY) - TILE - 8u) // of CAPACITY 256: one tile is enough

uint columns_end = 0u; // where those of this block end

int limit_of(uint i) { return limits[i]; }

void offer(uint own, uint at, uint index, float value) {
    if (index >= columns_end || is_own(own, index)) return;
    uint slot = atomicAdd(counts[at], 1u);
    if (slot >= CROWD) full = 1u;
    list_store(own, slot, uvec2(floatBitsToUint(value), index));
}

// Reads the progress of elements own … own + 127 of list into counts and limits. fresh: there is none.
void begin(uint own, bool fresh) {
    uint me = gl_LocalInvocationIndex, at = 3u * (own + me);
    if (me == 0u) full = due_count = 0u;
    if (me >= TILE) return;
    bool ours = row_first + own + me < row_end, known = ours && !fresh;
    counts[me] = known ? progress_load(at) : 0u;
    limits[me] = !ours ? -1 : known ? int(progress_load(at + 1u)) : 0x7f800000;
}

// Stores it again.
void end(uint own) {
    uint me = gl_LocalInvocationIndex, at = 3u * (own + me);
    if (me >= TILE || row_first + own + me >= row_end) return;
    progress_store(at, counts[me]);
    progress_store(at + 1u, uint(limits[me]));
}

// After a tile: returns true, to all invocations, if another tile may not fit some list.
bool is_full() {
    memoryBarrierImage();
    group_barrier();
    bool due = full != 0u;
    group_barrier();
    if (due && gl_LocalInvocationIndex == 0u) full = 0u;
    return due;
}

// Compares block `group` of the rows.
void go_through_columns(uint group) {
    uint own = group * TILE, part = group / part_groups * part_columns;
    uvec2 t = seat();
    columns_end = min(part + column_end, n);
    begin(own, column_first == 0u);
    group_barrier();
    for (uint column = part + column_first;; column += TILE) {
        bool over = column >= columns_end;
        if (!over) {
            add_up(row_first + own, column, t.x, t.y);
            raise(column, t.x, t.y);
            select(own, column, false, t.x, t.y);
        }
        // There is one call of sweep: two take half as long again to compile.
        if (is_full() || (over && last_span != 0u)) sweep(own, over ? 0u : CROWD / 2u);
        if (over) break;
    }
    end(own);
}
