/* The branches of a merge tree: each goes from its birth to its death, where it joins its parent. */

class Branches {
  /* spec: {birth, death: names of columns; parent; end: the last value of all; axis: what values are} */
  constructor(page, spec) {
    this.page = page;
    this.spec = spec;
    this.pad = 16;
    this.zooms = "x";
    this.birth = page.table.column(spec.birth);
    this.death = page.table.column(spec.death);
    this.parent = unpack(spec.parent);
    this.end = unpack(spec.end)[0];
    this.place();
  }
  /* A branch stands left of those that join it; what joins later stands nearer. */
  place() {
    const n = this.parent.length, size = new Uint32Array(n).fill(1);
    for (let k = n - 1; k >= 0; k--) if (this.parent[k] !== k) size[this.parent[k]] += size[k];
    this.x = new Uint32Array(n);
    const next = new Uint32Array(n);
    let roots = 0;
    for (let k = 0; k < n; k++) {
      const p = this.parent[k];
      this.x[k] = p === k ? roots : next[p];
      if (p === k) roots += size[k];
      else next[p] += size[k];
      next[k] = this.x[k] + 1;
    }
    this.rowAt = new Uint32Array(n);
    for (let k = 0; k < n; k++) this.rowAt[this.x[k]] = k;
    let lo = Infinity, hi = -Infinity;
    for (const values of [this.birth, this.death, [this.end]])
      for (const v of values) if (Number.isFinite(v)) lo = Math.min(lo, v), hi = Math.max(hi, v);
    this.box = {x0: -0.5, x1: Math.max(n, 1) - 0.5, y0: lo > hi ? 0 : lo, y1: lo > hi ? 0 : hi};
  }
  bounds() {
    return this.box;
  }
  top(row) {
    return Number.isFinite(this.death[row]) ? this.death[row] : this.end;
  }
  draw(context, panel) {
    const {camera, frame} = panel, {table, selection} = this.page;
    drawAxes(context, panel, {y: {title: this.spec.axis}});
    panel.clipped(context, () => {
      context.lineWidth = Math.min(Math.max(camera.sx / 5, 1), 4);
      const first = Math.max(0, Math.floor(camera.dataX(frame.x0)) - 1);
      const last = Math.min(this.x.length, Math.ceil(camera.dataX(frame.x1)) + 2);
      for (let at = first; at < last; at++) {
        const row = this.rowAt[at], x = camera.x(at), y0 = camera.y(this.birth[row]), y1 = camera.y(this.top(row));
        if (Math.abs(y1 - y0) < 1 && camera.sx < 2) continue;
        const color = table.colorOf(row);
        context.strokeStyle = selection.size && !selection.has(row) ? paler(color, 0.75) : color;
        context.beginPath();
        context.moveTo(x, y0);
        context.lineTo(x, y1);
        if (this.parent[row] !== row && Number.isFinite(this.death[row])) context.lineTo(camera.x(this.x[this.parent[row]]), y1);
        context.stroke();
        if (Math.abs(y1 - y0) < 2) {
          context.fillStyle = context.strokeStyle;
          context.fillRect(x - 3, y0 - 3, 6, 6);
        }
      }
    });
  }
  mark(context, panel, row) {
    const camera = panel.camera, y0 = camera.y(this.birth[row]), y1 = camera.y(this.top(row));
    context.strokeStyle = INK;
    context.lineWidth = 2;
    context.strokeRect(camera.x(this.x[row]) - 4, Math.min(y0, y1) - 3, 8, Math.abs(y1 - y0) + 6);
  }
  hit(x, y, panel) {
    const camera = panel.camera, table = this.page.table, reach = Math.max(Math.ceil(6 / camera.sx), 1);
    const middle = Math.round(camera.dataX(x));
    let best = -1, least = 8;
    for (let at = Math.max(0, middle - reach); at <= Math.min(this.x.length - 1, middle + reach); at++) {
      const row = this.rowAt[at], ends = [camera.y(this.birth[row]), camera.y(this.top(row))];
      const apart = Math.hypot(camera.x(at) - x, Math.max(0, Math.min(...ends) - y, y - Math.max(...ends)));
      if (apart < least) [best, least] = [row, apart];
    }
    return best < 0 ? null : {row: best, rows: () => [best], title: table.nameOf(best), facts: table.factsOf(best)};
  }
  rowsIn(polygon, panel) {
    const camera = panel.camera, box = polygonBox(polygon), rows = [];
    const last = Math.min(this.x.length - 1, Math.ceil(camera.dataX(box.x1)));
    for (let at = Math.max(0, Math.floor(camera.dataX(box.x0))); at <= last; at++) {
      const row = this.rowAt[at], x = camera.x(at);
      if (polygonMeets(polygon, [x, camera.y(this.birth[row])], [x, camera.y(this.top(row))])) rows.push(row);
    }
    return rows;
  }
}
