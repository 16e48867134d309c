/* A bar for each interval: by class (dimension), then birth, then death, from the top. Where bars are thinner than
 * a line, a line shows the longest of those it stands for. */

const LINE = 2; /* pixels */

class Bars {
  /* spec: {birth, death: names of columns; axis: what they are; falling: deaths lie below births, and values descend to the
   * right; range: least and greatest value, if other bars have the same axis} */
  constructor(page, spec) {
    this.page = page;
    this.spec = spec;
    this.sign = spec.falling ? -1 : 1;
    this.margin = {left: 16, right: 30};
    this.pad = 8;
    this.zooms = "y";
    const ascending = (values) => Float64Array.from(values, (v) => this.sign * v);
    this.birth = ascending(page.table.column(spec.birth));
    this.death = Float64Array.from(page.table.column(spec.death), (v) => (v === Infinity ? v : this.sign * v));
    this.arrange();
  }
  arrange() {
    const of = this.page.table.classes ? this.page.table.classes.of : null, n = this.birth.length;
    const order = Uint32Array.from({length: n}, (_, i) => i);
    const classOf = (row) => (of ? of[row] : 0);
    const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    order.sort((a, b) => classOf(a) - classOf(b) || compare(this.birth[a], this.birth[b]) ||
      compare(this.death[a], this.death[b]) || a - b);
    this.rowAt = []; /* of each slot; -1: a gap between classes */
    this.slotOf = new Int32Array(n);
    let last = n ? classOf(order[0]) : 0;
    const gap = Math.max(1, Math.round(n / 40));
    for (const row of order) {
      for (let k = 0; classOf(row) !== last && k < gap; k++) this.rowAt.push(-1);
      last = classOf(row);
      this.slotOf[row] = this.rowAt.length;
      this.rowAt.push(row);
    }
    let [lo, hi] = this.spec.range ? this.spec.range.map((v) => this.sign * v).sort((a, b) => a - b) : [Infinity, -Infinity];
    for (const values of [this.birth, this.death])
      for (const v of values) if (Number.isFinite(v)) lo = Math.min(lo, v), hi = Math.max(hi, v);
    this.low = lo < Infinity && hi > -Infinity ? lo : 0;
    this.high = lo < Infinity && hi > -Infinity ? hi : 0;
  }
  bounds() {
    return {x0: this.low, x1: this.high, y0: -this.rowAt.length, y1: 0};
  }
  /* Where the bar begins and ends, in pixels; one that never ends goes to the frame's edge. */
  span(row, panel) {
    const {camera, frame} = panel;
    const from = this.birth[row] > -Infinity ? camera.x(this.birth[row]) : frame.x0;
    return [from, this.death[row] < Infinity ? camera.x(this.death[row]) : Math.max(frame.x1, from)];
  }
  length(row) {
    return this.death[row] - this.birth[row];
  }
  /* Which bar a line of the screen shows: of these slots the longest, and of selected ones if there are any. */
  shownOf(from, to) {
    const selection = this.page.selection;
    let best = -1, chosen = false;
    for (let slot = Math.max(from, 0); slot < Math.min(to, this.rowAt.length); slot++) {
      const row = this.rowAt[slot];
      if (row < 0) continue;
      const is = selection.size > 0 && selection.has(row);
      if (best < 0 || (is && !chosen) || (is === chosen && this.length(row) > this.length(best))) {
        best = row;
        chosen = is;
      }
    }
    return best;
  }
  /* Slots from the first to the last of a line at y, in pixels. */
  slotsAt(y, panel) {
    const camera = panel.camera;
    if (camera.sy >= LINE) return [Math.floor(-camera.dataY(y)), Math.floor(-camera.dataY(y)) + 1];
    const line = Math.floor((y - camera.oy) / LINE);
    return [Math.ceil((line * LINE) / camera.sy), Math.ceil(((line + 1) * LINE) / camera.sy)];
  }
  draw(context, panel) {
    drawAxes(context, panel, {x: {title: this.spec.axis, sign: this.sign}});
    panel.clipped(context, () => {
      const {camera, frame} = panel;
      if (camera.sy >= LINE) {
        const last = Math.min(this.rowAt.length, Math.ceil(-camera.dataY(frame.y1)));
        for (let slot = Math.max(0, Math.floor(-camera.dataY(frame.y0))); slot < last; slot++)
          if (this.rowAt[slot] >= 0) this.drawBar(context, panel, this.rowAt[slot]);
      } else
        for (let y = frame.y0 - ((frame.y0 - camera.oy) % LINE); y < frame.y1; y += LINE) {
          const row = this.shownOf(...this.slotsAt(y + LINE / 2, panel));
          if (row >= 0) this.drawBar(context, panel, row, y);
        }
    });
    this.drawArrows(context, panel);
  }
  thickness(panel) {
    return panel.camera.sy >= LINE ? Math.min(Math.max(panel.camera.sy * 0.72, 1.5), 16) : LINE * 0.8;
  }
  colorOf(row) {
    const {table, selection} = this.page, color = table.colorOf(row);
    return selection.size && !selection.has(row) ? paler(color, 0.75) : color;
  }
  middle(row, panel) {
    return panel.camera.y(-this.slotOf[row] - 0.5);
  }
  drawBar(context, panel, row, at) {
    const [from, to] = this.span(row, panel), thick = this.thickness(panel);
    const y = at === undefined ? this.middle(row, panel) - thick / 2 : at;
    context.fillStyle = this.colorOf(row);
    context.fillRect(from, y, Math.max(to - from, 1.5), thick);
  }
  /* Bars that never end have an arrow beyond the frame. */
  drawArrows(context, panel) {
    const {camera, frame} = panel;
    if (camera.sy < LINE) return;
    for (let slot = 0; slot < this.rowAt.length; slot++) {
      const row = this.rowAt[slot];
      if (row < 0 || this.death[row] < Infinity) continue;
      const y = this.middle(row, panel);
      if (y < frame.y0 || y > frame.y1) continue;
      context.fillStyle = this.colorOf(row);
      context.beginPath();
      context.moveTo(frame.x1 + 1, y - 5);
      context.lineTo(frame.x1 + 11, y);
      context.lineTo(frame.x1 + 1, y + 5);
      context.fill();
    }
  }
  mark(context, panel, row) {
    const [from, to] = this.span(row, panel), thick = this.thickness(panel), y = this.middle(row, panel);
    context.strokeStyle = INK;
    context.lineWidth = 2;
    context.strokeRect(from - 2, y - thick / 2 - 2, Math.max(to - from, 1.5) + 4, thick + 4);
  }
  hit(x, y, panel) {
    const row = this.shownOf(...this.slotsAt(y, panel));
    if (row < 0) return null;
    const [from, to] = this.span(row, panel), table = this.page.table;
    if (x < from - 8 || x > to + 8) return null;
    return {row, rows: () => [row], title: table.nameOf(row), facts: table.factsOf(row)};
  }
  rowsIn(polygon, panel) {
    const box = polygonBox(polygon), camera = panel.camera, rows = [];
    const first = Math.max(0, Math.floor(-camera.dataY(box.y0)) - 1);
    const last = Math.min(this.rowAt.length, Math.ceil(-camera.dataY(box.y1)) + 1);
    for (let slot = first; slot < last; slot++) {
      const row = this.rowAt[slot];
      if (row < 0) continue;
      const [from, to] = this.span(row, panel), y = this.middle(row, panel);
      if (polygonMeets(polygon, [from, y], [to, y])) rows.push(row);
    }
    return rows;
  }
}
