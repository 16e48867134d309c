/* Points. Many are painted into the canvas's pixels, as a million arcs would take seconds. */

const ARCS = 20000; /* so many visible points are drawn as discs with smooth edges */
const FRAME = 20; /* milliseconds for the points while they move: if all take longer, some are left out */
const NEAR = 14; /* pixels around the pointer in which points are looked for */
const ROUND = 0x9e3779b1; /* odd and large: steps of it mix up an order */

/* Points in cells, so that those near a place are found without looking at all. Within a cell, and where cells
 * follow one another, points stand in a mixed order, so that no class hides the others. */
class Grid {
  /* beneath(row): it is painted before others. */
  constructor(x, y, bounds, beneath) {
    const n = x.length, side = Math.max(1, Math.min(512, Math.ceil(Math.sqrt(n / 8))));
    const wide = bounds.x1 - bounds.x0, high = bounds.y1 - bounds.y0;
    this.side = side;
    this.bounds = bounds;
    this.perX = wide > 0 && Number.isFinite(wide) ? side / wide : 0;
    this.perY = high > 0 && Number.isFinite(high) ? side / high : 0;
    this.start = new Uint32Array(side * side + 1);
    const cell = new Int32Array(n);
    let count = 0;
    for (let i = 0; i < n; i++) {
      const placed = Number.isFinite(x[i]) && Number.isFinite(y[i]);
      cell[i] = placed ? this.row(y[i]) * side + this.column(x[i]) : -1;
      if (placed) this.start[cell[i] + 1]++, count++;
    }
    for (let c = 0; c < side * side; c++) this.start[c + 1] += this.start[c];
    const end = this.start.slice(0, side * side);
    this.rows = new Uint32Array(count);
    let step = ROUND % n || 1;
    while (n > 1 && common(step, n) > 1) step++;
    for (const first of [true, false])
      for (let k = 0, i = 0; k < n; k++, i = (i + step) % n)
        if (cell[i] >= 0 && beneath(i) === first) this.rows[end[cell[i]]++] = i;
  }
  column(x) {
    return Math.max(0, Math.min(this.side - 1, Math.floor((x - this.bounds.x0) * this.perX)));
  }
  row(y) {
    return Math.max(0, Math.min(this.side - 1, Math.floor((y - this.bounds.y0) * this.perY)));
  }
  /* Calls act(from, to) for ranges of this.rows whose cells meet the box. */
  ranges(x0, y0, x1, y1, act) {
    const b = this.bounds;
    if (x1 < b.x0 || x0 > b.x1 || y1 < b.y0 || y0 > b.y1) return;
    const left = this.column(x0), right = this.column(x1), top = this.row(y1);
    for (let r = this.row(y0); r <= top; r++) {
      const from = this.start[r * this.side + left], to = this.start[r * this.side + right + 1];
      if (from < to) act(from, to);
    }
  }
}

/* The greatest common divisor. */
function common(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

class Scatter {
  /* spec: {x, y: names of columns; titles: [x, y]; equal; diagonal; never: "" or what is written at infinity;
   * falling; edges, rings, lines} */
  constructor(page, spec) {
    this.page = page;
    this.spec = spec;
    this.equal = spec.equal;
    this.edges = unpack(spec.edges);
    this.lines = unpack(spec.lines);
    this.taken = 0; /* milliseconds, the last time that all points were painted */
    this.rings = unpack(spec.rings);
    this.ringStart = unpack(spec.ringStart);
    this.take(spec.x, spec.y);
  }
  /* Shows these columns; y may be null. */
  take(x, y) {
    this.x = this.page.table.column(x);
    this.y = y ? this.page.table.column(y) : new Float64Array(this.x.length);
    this.box = this.measure();
    if (this.spec.diagonal) this.placeEndless();
    const classes = this.page.table.classes, noise = classes ? classes.names.indexOf("-1") : -1;
    this.grid = new Grid(this.x, this.y, this.box, (row) => noise >= 0 && classes.of[row] === noise);
    /* Once more in the order of cells, where the painter reads them one after the other. */
    const rows = this.grid.rows;
    this.px = Float64Array.from(rows, (row) => this.x[row]);
    this.py = Float64Array.from(rows, (row) => this.y[row]);
  }
  measure() {
    const box = {x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity};
    for (let i = 0; i < this.x.length; i++) {
      const x = this.x[i], y = this.y[i];
      if (!Number.isFinite(x)) continue;
      if (x < box.x0) box.x0 = x;
      if (x > box.x1) box.x1 = x;
      if (!Number.isFinite(y)) continue;
      if (y < box.y0) box.y0 = y;
      if (y > box.y1) box.y1 = y;
    }
    if (box.x0 > box.x1) box.x0 = box.x1 = 0;
    if (box.y0 > box.y1) box.y0 = box.y1 = box.x0;
    return box;
  }
  /* Of a diagram: both axes have one range, and what never ends stands beyond it. */
  placeEndless() {
    const b = this.box, [low, high] = this.spec.range || [Infinity, -Infinity];
    const lo = Math.min(b.x0, b.y0, low), hi = Math.max(b.x1, b.y1, high), span = hi - lo || Math.abs(hi) || 1;
    this.endless = this.spec.falling ? lo - 0.07 * span : hi + 0.07 * span;
    const some = this.y.some((value) => !Number.isFinite(value));
    this.y = Float64Array.from(this.y, (value) => (Number.isFinite(value) ? value : this.endless));
    this.box = {x0: lo, x1: hi, y0: lo, y1: hi};
    this.hasEndless = some;
    if (some) this.box[this.spec.falling ? "y0" : "y1"] = this.endless;
  }
  bounds() {
    return this.box;
  }
  /* As in the other pictures: 7.5 pixels for 100 points, 1.2 for a million, and more from nearby. */
  radius(panel) {
    const zoomed = Math.min(Math.max(panel.camera.sx / panel.camera.all.sx, 1), 1e4) ** 0.25;
    const small = this.edges || this.rings ? 0.6 : 0.8;
    return Math.min(Math.max(small * 1.2 * (1e6 / Math.max(this.x.length, 1)) ** 0.2 * zoomed, 0.8), 7);
  }

  /* ---- drawing ---- */

  draw(context, panel) {
    const titles = this.spec.titles;
    drawAxes(context, panel, {x: {title: titles[0]}, y: this.spec.y ? {title: titles[1], has: (at) => this.isBelow(at, panel)} : null});
    if (this.spec.diagonal) this.drawDiagonal(context, panel);
    panel.clipped(context, () => {
      if (this.rings || this.lines) this.drawRegion(context, panel);
      if (this.edges) this.drawPairs(context, panel, this.edges, "#9aa5b1");
      if (!this.many(panel)) this.drawArcs(context, panel);
    });
    if (this.many(panel)) this.paint(context, panel);
  }
  drawDiagonal(context, panel) {
    const {camera, frame} = panel, b = this.box;
    const lo = Math.min(b.x0, b.y0), hi = Math.max(b.x1, b.y1);
    panel.clipped(context, () => {
      context.strokeStyle = "#9aa5b1";
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(camera.x(lo), camera.y(lo));
      context.lineTo(camera.x(hi), camera.y(hi));
      context.stroke();
    });
    const y = camera.y(this.endless);
    if (this.hasEndless && y >= frame.y0 && y <= frame.y1) drawLimit(context, panel, y, "never");
  }
  /* Beyond what never ends, and near it, there are no numbers. */
  isBelow(at, panel) {
    if (!this.hasEndless) return true;
    const below = panel.camera.y(at) - panel.camera.y(this.endless);
    return this.spec.falling ? below < -14 : below > 14;
  }
  drawPairs(context, panel, pairs, color) {
    const camera = panel.camera;
    context.strokeStyle = color;
    context.lineWidth = 1.1;
    context.beginPath();
    for (let k = 0; k < pairs.length; k += 2) {
      context.moveTo(camera.x(this.x[pairs[k]]), camera.y(this.y[pairs[k]]));
      context.lineTo(camera.x(this.x[pairs[k + 1]]), camera.y(this.y[pairs[k + 1]]));
    }
    context.stroke();
  }
  /* The inside of rings is where an odd number of them goes around. */
  drawRegion(context, panel) {
    const camera = panel.camera;
    context.beginPath();
    for (let r = 0; this.rings && r + 1 < this.ringStart.length; r++) {
      for (let k = this.ringStart[r]; k < this.ringStart[r + 1]; k++) {
        const x = camera.x(this.x[this.rings[k]]), y = camera.y(this.y[this.rings[k]]);
        if (k === this.ringStart[r]) context.moveTo(x, y);
        else context.lineTo(x, y);
      }
      context.closePath();
    }
    context.fillStyle = "#cfe3f2";
    context.fill("evenodd");
    context.strokeStyle = "#0072b2";
    context.lineWidth = 1.5;
    context.stroke();
    if (this.lines) this.drawPairs(context, panel, this.lines, "#0072b2");
  }
  visible(panel, act) {
    const {camera, frame} = panel, r = this.radius(panel);
    this.grid.ranges(camera.dataX(frame.x0 - r), camera.dataY(frame.y1 + r), camera.dataX(frame.x1 + r),
      camera.dataY(frame.y0 - r), act);
  }
  many(panel) {
    let count = 0;
    this.visible(panel, (from, to) => (count += to - from));
    return count > ARCS;
  }
  /* First what is not selected, pale, then the rest. */
  drawArcs(context, panel) {
    const {table, selection} = this.page, camera = panel.camera, r = this.radius(panel);
    for (const chosen of selection.size ? [false, true] : [true])
      this.visible(panel, (from, to) => {
        for (let k = from; k < to; k++) {
          const row = this.grid.rows[k];
          if (selection.size && selection.has(row) !== chosen) continue;
          const color = table.colorOf(row);
          context.beginPath();
          context.arc(camera.x(this.px[k]), camera.y(this.py[k]), r, 0, 7);
          context.fillStyle = chosen ? color : paler(color, 0.75);
          context.fill();
          if (r < 2.2) continue;
          context.strokeStyle = chosen ? (selection.size ? "#222222" : "#ffffff") : "#ffffff";
          context.lineWidth = 0.8;
          context.stroke();
        }
      });
  }
  /* The colors of classes as pixels, full and pale. */
  pixelColors() {
    const classes = this.page.table.classes;
    const colors = classes ? classes.colors : ["#0072b2"];
    const pixel = (c, pale) => {
      const [r, g, b] = channelsOf(c).map((v) => (pale ? Math.round(v + (255 - v) * 0.8) : v));
      return (255 << 24) | (b << 16) | (g << 8) | r;
    };
    return {full: Int32Array.from(colors, (c) => pixel(c, false)), pale: Int32Array.from(colors, (c) => pixel(c, true))};
  }
  paint(context, panel) {
    const {frame, ratio} = panel;
    const left = Math.round(frame.x0 * ratio), top = Math.round(frame.y0 * ratio);
    const width = Math.round(frame.x1 * ratio) - left, height = Math.round(frame.y1 * ratio) - top;
    if (!this.sheet) this.sheet = document.createElement("canvas");
    if (this.sheet.width !== width || this.sheet.height !== height) {
      this.sheet.width = width;
      this.sheet.height = height;
    }
    const image = new ImageData(width, height), begun = performance.now();
    const step = panel.stirred ? Math.max(1, Math.ceil(this.taken / FRAME)) : 1;
    this.paintPixels(new Int32Array(image.data.buffer), width, height, panel, left, top, step);
    if (!panel.stirred) this.taken = performance.now() - begun;
    this.sheet.getContext("2d").putImageData(image, 0, 0);
    context.drawImage(this.sheet, left / ratio, top / ratio, width / ratio, height / ratio);
  }
  /* step: every so manieth point. */
  paintPixels(pixels, width, height, panel, left, top, step) {
    const {camera, ratio} = panel, {table, selection} = this.page, flags = selection.flags, rows = this.grid.rows;
    const of = table.classes ? table.classes.of : null, colors = this.pixelColors();
    const reach = Math.max(0, Math.round(this.radius(panel) * ratio - 0.5));
    const half = spansOf(reach);
    const ax = camera.sx * ratio, bx = camera.ox * ratio - left, ay = -camera.sy * ratio, by = camera.oy * ratio - top;
    for (const chosen of selection.size ? [0, 1] : [0])
      this.visible(panel, (from, to) => {
        for (let k = from; k < to; k += step) {
          const row = rows[k];
          if (selection.size && flags[row] !== chosen) continue;
          const x = Math.floor(this.px[k] * ax + bx), y = Math.floor(this.py[k] * ay + by), c = of ? of[row] : 0;
          const color = selection.size && !chosen ? colors.pale[c] : colors.full[c];
          for (let dy = -reach; dy <= reach; dy++) {
            const line = y + dy;
            if (line < 0 || line >= height) continue;
            const span = half[dy + reach], last = Math.min(x + span, width - 1);
            for (let at = Math.max(x - span, 0); at <= last; at++) pixels[line * width + at] = color;
          }
        }
      });
  }
  mark(context, panel, row) {
    const x = panel.camera.x(this.x[row]), y = panel.camera.y(this.y[row]);
    context.beginPath();
    context.arc(x, y, this.radius(panel) + 3.5, 0, 7);
    context.strokeStyle = INK;
    context.lineWidth = 2;
    context.stroke();
  }

  /* ---- finding ---- */

  hit(x, y, panel) {
    const camera = panel.camera, table = this.page.table;
    let best = -1, least = NEAR * NEAR;
    this.grid.ranges(camera.dataX(x - NEAR), camera.dataY(y + NEAR), camera.dataX(x + NEAR), camera.dataY(y - NEAR),
      (from, to) => {
        for (let k = from; k < to; k++) {
          const dx = camera.x(this.px[k]) - x, dy = camera.y(this.py[k]) - y, apart = dx * dx + dy * dy;
          if (apart < least || (apart === least && this.grid.rows[k] < best)) {
            least = apart;
            best = this.grid.rows[k];
          }
        }
      });
    if (best < 0) return null;
    return {row: best, rows: () => [best], title: table.nameOf(best), facts: table.factsOf(best)};
  }
  rowsIn(polygon, panel) {
    const camera = panel.camera, box = polygonBox(polygon), rows = [];
    this.grid.ranges(camera.dataX(box.x0), camera.dataY(box.y1), camera.dataX(box.x1), camera.dataY(box.y0),
      (from, to) => {
        for (let k = from; k < to; k++) {
          const x = camera.x(this.px[k]), y = camera.y(this.py[k]);
          if (x < box.x0 || x > box.x1 || y < box.y0 || y > box.y1) continue;
          if (polygonHolds(polygon, x, y)) rows.push(this.grid.rows[k]);
        }
      });
    return rows;
  }
}

/* Of each line of a disc of pixels: how far it reaches to either side. */
function spansOf(reach) {
  const spans = [];
  for (let dy = -reach; dy <= reach; dy++) spans.push(Math.floor(Math.sqrt((reach + 0.4) ** 2 - dy * dy)));
  return spans;
}
