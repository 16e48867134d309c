/* Which rows are selected. Views ask `has`, and draw anew when told. */

class Selection {
  constructor(count) {
    this.flags = new Uint8Array(count);
    this.size = 0;
    this.listeners = [];
  }
  has(row) {
    return this.flags[row] === 1;
  }
  /* how: "replace", "add" or "remove". rows: numbers, in any order, also twice. */
  change(rows, how) {
    if (how === "replace") this.flags.fill(0);
    const flag = how === "remove" ? 0 : 1;
    for (const row of rows) this.flags[row] = flag;
    this.size = 0;
    for (const f of this.flags) this.size += f;
    for (const listener of this.listeners) listener();
  }
  /* The selected rows, ascending; all if none is. */
  rows() {
    const rows = new Uint32Array(this.size || this.flags.length);
    let at = 0;
    for (let i = 0; i < this.flags.length; i++) if (!this.size || this.flags[i]) rows[at++] = i;
    return rows;
  }
}
