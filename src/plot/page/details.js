/* The intervals of one row, of that the pointer is at or was last at: its barcode or its diagram. */

class Details {
  /* spec: {of: "bars" or "scatter"}. The page's data have `details`: first, dim, birth, death, of all rows. */
  constructor(page, spec) {
    this.page = page;
    this.kind = spec.of;
    this.heading = spec.title;
    page.details = page.details || Details.unpack(page.data.details);
    this.all = page.details;
    this.show(this.all.medoids.length ? this.all.medoids[0] : 0);
  }
  static unpack(data) {
    const all = {scale: data.scale, falling: data.falling, colors: data.colors,
      single: {birth: data.birth.type === "f32", death: data.death.type === "f32"}};
    for (const name of ["first", "dim", "birth", "death", "medoids"]) all[name] = unpack(data[name]);
    all.range = [Infinity, -Infinity]; /* of all rows, so that they can be compared */
    for (const values of [all.birth, all.death])
      for (const v of values)
        if (Number.isFinite(v)) all.range = [Math.min(all.range[0], v), Math.max(all.range[1], v)];
    return all;
  }
  /* The row's intervals are a table of their own. */
  show(row) {
    const all = this.all, from = row < this.page.table.count ? all.first[row] : 0;
    const to = row < this.page.table.count ? all.first[row + 1] : 0, dims = all.colors.map((_, k) => String(k));
    const table = Object.assign(Object.create(Table.prototype), {
      count: to - from, what: "interval", names: null,
      columns: ["birth", "death"].map((name) => ({name, values: all[name].subarray(from, to), single: all.single[name]})),
      classes: {heading: "dim", of: all.dim.subarray(from, to), names: dims, colors: all.colors, legend: true},
    });
    const own = {table, selection: new Selection(table.count)}, falling = all.falling;
    this.row = row;
    this.view = this.kind === "bars"
      ? new Bars(own, {birth: "birth", death: "death", axis: all.scale, falling, range: all.range})
      : new Scatter(own, {range: all.range, x: "birth", y: "death", titles: ["birth: " + all.scale, "death"], equal: true, diagonal: true, falling});
    this.margin = this.view.margin;
    this.equal = this.view.equal;
    this.pad = this.view.pad;
    this.zooms = this.view.zooms;
  }
  title() {
    const {table} = this.page;
    if (this.row >= table.count) return this.heading;
    const name = table.nameOf(this.row);
    return `${this.heading} of ${/^\d+$/.test(name) ? table.what + " " + name : name}`;
  }
  /* Returns whether another row is shown now. */
  follow(row) {
    if (row < 0 || row === this.row) return false;
    this.show(row);
    return true;
  }
  bounds() {
    return this.view.bounds();
  }
  draw(context, panel) {
    this.view.draw(context, panel);
  }
  mark() {}
  hit(x, y, panel) {
    const hit = this.view.hit(x, y, panel);
    if (!hit) return null;
    const inner = hit.row;
    return {title: hit.title, facts: hit.facts, rows: () => [this.row], outline: (context) => this.view.mark(context, panel, inner)};
  }
  rowsIn(polygon, panel) {
    for (const some of this.view.rowsIn(polygon, panel)) return some >= 0 ? [this.row] : [];
    return [];
  }
}
