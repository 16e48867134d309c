/* Trees over the rows. A node holds rows that stand side by side in an order; selecting it selects them. */

/* How many of the first k rows of an order are selected, for every k. */
class Tally {
  constructor(page, order) {
    this.page = page;
    this.order = order;
    this.sums = new Uint32Array(order.length + 1);
    page.selection.listeners.unshift(() => this.count());
  }
  count() {
    for (let k = 0; k < this.order.length; k++)
      this.sums[k + 1] = this.sums[k] + this.page.selection.flags[this.order[k]];
  }
  /* The part of rows from..to-1 of the order that is selected; 1 if nothing is selected at all. */
  part(from, to) {
    return this.page.selection.size ? (this.sums[to] - this.sums[from]) / Math.max(to - from, 1) : 1;
  }
}

/* ---- the tree of a linkage matrix: leaves at the left, heights to the right ---- */

const LEAF_NAMES = 13; /* pixels a leaf from which on it has its name */
const MIXED = "#5a5a5a"; /* nodes of several classes */

class Dendrogram {
  /* spec: {merges: pairs of nodes, heights}. Nodes below n are rows; n + k is made by merge k. */
  constructor(page, spec) {
    this.page = page;
    this.n = page.table.count;
    this.margin = {left: page.table.names ? 150 : 84};
    this.pad = 4;
    this.zooms = "y";
    this.merges = unpack(spec.merges);
    this.heights = unpack(spec.heights);
    this.count = Math.max(2 * this.n - 1, 0);
    this.arrange();
    this.tally = new Tally(page, this.order);
  }
  child(node, side) {
    return this.merges[2 * (node - this.n) + side];
  }
  arrange() {
    const n = this.n, size = new Uint32Array(this.count).fill(1), of = this.page.table.classes;
    this.kind = new Int32Array(this.count); /* the class of all its rows; -1: they differ */
    for (let v = 0; v < n; v++) this.kind[v] = of ? of.of[v] : -1;
    this.greatest = 0;
    this.endless = false;
    for (let c = n; c < this.count; c++) {
      const a = this.child(c, 0), b = this.child(c, 1), h = this.heights[c - n];
      size[c] = size[a] + size[b];
      this.kind[c] = this.kind[a] === this.kind[b] ? this.kind[a] : -1;
      if (Number.isFinite(h)) this.greatest = Math.max(this.greatest, h);
      else this.endless = true;
    }
    this.greatest = this.greatest || 1;
    this.first = new Uint32Array(this.count);
    this.size = size;
    this.order = new Uint32Array(n);
    for (let c = this.count - 1; c >= n; c--) {
      this.first[this.child(c, 0)] = this.first[c];
      this.first[this.child(c, 1)] = this.first[c] + size[this.child(c, 0)];
    }
    this.place = new Float64Array(this.count); /* down from the top, in leaves */
    for (let v = 0; v < n; v++) {
      this.order[this.first[v]] = v;
      this.place[v] = this.first[v] + 0.5;
    }
    for (let c = n; c < this.count; c++) this.place[c] = (this.place[this.child(c, 0)] + this.place[this.child(c, 1)]) / 2;
  }
  /* Infinite heights stand beyond the others. */
  height(node) {
    if (node < this.n) return 0;
    const h = this.heights[node - this.n];
    return Number.isFinite(h) ? h : 1.08 * this.greatest;
  }
  bounds() {
    return {x0: 0, x1: this.greatest * (this.endless ? 1.08 : 1), y0: -this.n, y1: 0};
  }
  colorOf(node) {
    const kind = this.kind[node], color = kind < 0 ? MIXED : this.page.table.classes.colors[kind];
    const part = this.tally.part(this.first[node], this.first[node] + this.size[node]);
    return part < 1 ? paler(color, 0.8 * (1 - part)) : color;
  }
  /* Visits nodes from the root down; act returns whether to go on below. */
  walk(act) {
    const stack = this.count ? [this.count - 1] : [];
    while (stack.length) {
      const node = stack.pop();
      if (act(node) && node >= this.n) stack.push(this.child(node, 0), this.child(node, 1));
    }
  }
  draw(context, panel) {
    const {camera, frame} = panel;
    drawAxes(context, panel, {x: {title: "height"}});
    panel.clipped(context, () => {
      context.lineWidth = Math.min(Math.max(camera.sy / 8, 0.8), 2);
      this.walk((node) => {
        const top = camera.y(-this.first[node]), bottom = camera.y(-this.first[node] - this.size[node]);
        if (bottom < frame.y0 || top > frame.y1) return false;
        if (node < this.n) return false;
        this.drawNode(context, camera, node);
        return bottom - top > 1.5;
      });
    });
    if (camera.sy >= LEAF_NAMES) this.drawNames(context, panel);
  }
  drawNode(context, camera, node) {
    const x = camera.x(this.height(node)), ends = [0, 1].map((side) => camera.y(-this.place[this.child(node, side)]));
    context.strokeStyle = this.colorOf(node);
    context.beginPath();
    context.moveTo(x, ends[0]);
    context.lineTo(x, ends[1]);
    context.stroke();
    for (const side of [0, 1]) {
      const child = this.child(node, side);
      context.strokeStyle = this.colorOf(child);
      context.beginPath();
      context.moveTo(x, ends[side]);
      context.lineTo(camera.x(this.height(child)), ends[side]);
      context.stroke();
    }
  }
  drawNames(context, panel) {
    const {camera, frame} = panel, {table, selection} = this.page;
    context.textAlign = "right";
    context.textBaseline = "middle";
    const last = Math.min(this.n, Math.ceil(-camera.dataY(frame.y1)));
    for (let k = Math.max(0, Math.floor(-camera.dataY(frame.y0))); k < last; k++) {
      const row = this.order[k], y = camera.y(-k - 0.5);
      if (y < frame.y0 || y > frame.y1) continue;
      context.fillStyle = selection.size && !selection.has(row) ? "#999999" : INK;
      const name = table.nameOf(row);
      context.fillText(name.length > 24 ? name.slice(0, 23) + "\u2026" : name, frame.x0 - 6, y, frame.x0 - 10);
    }
  }
  mark(context, panel, row) {
    const {camera, frame} = panel, y = camera.y(-this.place[row]);
    context.fillStyle = INK;
    context.beginPath();
    context.moveTo(frame.x0, y - 6);
    context.lineTo(frame.x0 + 9, y);
    context.lineTo(frame.x0, y + 6);
    context.fill();
  }
  /* The node whose lines are nearest: its own, or the one from it to its parent. */
  hit(x, y, panel) {
    const camera = panel.camera;
    let best = -1, least = 9, parent = -1, node = this.count - 1;
    while (node >= 0) {
      const row = camera.y(-this.place[node]), to = parent < 0 ? this.height(node) : this.height(parent);
      const along = x >= camera.x(this.height(node)) - 4 && x <= camera.x(to) + 4 ? Math.abs(y - row) : Infinity;
      if (along < least) [best, least] = [node, along];
      if (node < this.n) break;
      const ends = [0, 1].map((side) => camera.y(-this.place[this.child(node, side)]));
      const across = Math.abs(x - camera.x(this.height(node)));
      if (y >= ends[0] && y <= ends[1] && across < least) [best, least] = [node, across];
      parent = node;
      const second = this.child(node, 1);
      node = y >= camera.y(-this.first[second]) ? second : this.child(node, 0);
    }
    return best < 0 ? null : this.describe(best, panel);
  }
  describe(node, panel) {
    const table = this.page.table, from = this.first[node], to = from + this.size[node];
    const rows = () => this.order.subarray(from, to);
    if (node < this.n) return {row: node, rows, title: table.nameOf(node), facts: table.factsOf(node)};
    const outline = (context) => {
      const {camera} = panel, x = camera.x(this.height(node));
      context.strokeStyle = INK;
      context.lineWidth = 1.5;
      context.strokeRect(camera.x(0) - 2, camera.y(-from), x - camera.x(0) + 4, camera.y(-to) - camera.y(-from));
    };
    const facts = [["height", shortNumber(this.heights[node - this.n])]];
    if (this.kind[node] >= 0) facts.push([table.classes.heading, wordOf(table.classes, this.kind[node])]);
    return {rows, outline, title: table.counted(to - from), facts};
  }
  rowsIn(polygon, panel) {
    const camera = panel.camera, box = polygonBox(polygon), rows = [];
    this.walk((node) => {
      const from = this.first[node], to = from + this.size[node], y = camera.y(-this.place[node]);
      if (camera.y(-to) < box.y0 || camera.y(-from) > box.y1) return false;
      const x = camera.x(this.height(node)), beyond = node < this.n ? Math.max(x + 8, x) : x;
      if (!polygonMeets(polygon, [x, y], [beyond, y])) return true;
      for (let k = from; k < to; k++) rows.push(this.order[k]);
      return false;
    });
    return rows;
  }
}

/* ---- the condensed tree of HDBSCAN* as icicles: as wide as a cluster has points, from its birth down ---- */

class Icicles {
  /* spec: {parent, child, lambda: of its rows, by lambda; clusters: {parent, size, label (less 1; 0: not chosen),
   * birth, death, stability}; cut: a distance or null}. Parents and children of clusters count from n. */
  constructor(page, spec) {
    this.page = page;
    this.n = page.table.count;
    this.spec = spec;
    this.pad = 10;
    this.zooms = "x";
    this.parent = unpack(spec.clusters.parent);
    this.size = unpack(spec.clusters.size);
    this.label = unpack(spec.clusters.label);
    this.birth = unpack(spec.clusters.birth);
    this.death = unpack(spec.clusters.death);
    this.stability = unpack(spec.clusters.stability);
    this.cut = spec.cut ? unpack(spec.cut)[0] : null;
    this.sortRows();
    this.placeClusters();
    this.measure();
    this.tally = new Tally(page, this.order);
  }
  sortRows() {
    const parent = unpack(this.spec.parent), child = unpack(this.spec.child), lambda = unpack(this.spec.lambda);
    const clusters = this.parent.length;
    this.start = new Uint32Array(clusters + 1);
    for (const p of parent) this.start[p + 1]++;
    for (let c = 0; c < clusters; c++) this.start[c + 1] += this.start[c];
    const end = this.start.slice(0, clusters);
    this.child = new Uint32Array(child.length);
    this.lambda = new Float64Array(child.length);
    for (let k = 0; k < child.length; k++) {
      const to = end[parent[k]]++;
      this.child[to] = child[k];
      this.lambda[to] = lambda[k];
    }
  }
  /* Points that leave a cluster stand at its sides, the first to leave at the edges; what it splits into is in the
   * middle. */
  placeClusters() {
    const clusters = this.parent.length;
    this.left = new Uint32Array(clusters);
    this.order = new Uint32Array(this.n);
    for (let c = 0; c < clusters; c++) {
      let left = this.left[c], right = left + this.size[c], side = 0;
      const inner = [];
      for (let k = this.start[c]; k < this.start[c + 1]; k++)
        if (this.child[k] >= this.n) inner.push(this.child[k] - this.n);
        else if (side ^= 1) this.order[left++] = this.child[k];
        else this.order[--right] = this.child[k];
      for (const d of inner) {
        this.left[d] = left;
        left += this.size[d];
      }
    }
  }
  measure() {
    let lo = Infinity, hi = -Infinity;
    for (const l of this.lambda) if (l > 0 && l < Infinity) lo = Math.min(lo, l), hi = Math.max(hi, l);
    this.low = lo > hi ? 0 : -Math.log(hi);
    this.high = lo > hi ? 0 : -Math.log(lo);
    if (!(this.high - this.low > 1e-9)) this.low -= 0.5, this.high += 0.5;
    this.room = (this.high - this.low) * 0.06;
  }
  /* The logarithm of the distance; 0 and infinity stand beyond the others. */
  level(lambda) {
    if (lambda === 0) return this.high + this.room;
    if (lambda === Infinity) return this.low - this.room;
    return Math.min(Math.max(-Math.log(lambda), this.low), this.high);
  }
  bounds() {
    return {x0: 0, x1: this.n, y0: this.low - this.room, y1: this.high + this.room};
  }
  colorOf(c) {
    let around = c;
    while (around && !this.label[around]) around = this.parent[around];
    const chosen = this.label[around] && this.cut === null, classes = this.page.table.classes;
    const base = chosen ? classes.colors[this.label[around] - 1] : "#c4c4c4";
    const lighter = chosen ? (around === c ? 0 : c % 2 ? 0.3 : 0.5) : c % 2 ? 0.3 : 0;
    const part = this.tally.part(this.left[c], this.left[c] + this.size[c]);
    return paler(base, 1 - (1 - lighter) * (1 - 0.75 * (1 - part)));
  }
  ticks(lo, hi) {
    const list = [];
    for (let power = Math.floor(lo / Math.LN10); power <= hi / Math.LN10 && list.length < 60; power++)
      for (const digit of hi - lo > 12 ? [1] : hi - lo > 1.5 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9]) {
        const at = Math.log(digit) + power * Math.LN10;
        if (at >= lo && at <= hi && at >= this.low - 1e-9 && at <= this.high + 1e-9)
          list.push({at, text: shortNumber(digit * 10 ** power)});
      }
    return list;
  }
  draw(context, panel) {
    const {camera, frame} = panel;
    drawAxes(context, panel, {
      x: {title: "points", ticks: () => []}, y: {title: "distance", ticks: (lo, hi) => this.ticks(lo, hi)},
    });
    panel.clipped(context, () => {
      for (let c = 0; c < this.parent.length; c++) {
        const from = camera.x(this.left[c]), to = camera.x(this.left[c] + this.size[c]);
        if (to < frame.x0 || from > frame.x1 || to - from < 0.25) continue;
        this.trace(context, camera, c);
        context.fillStyle = this.colorOf(c);
        context.fill();
      }
      if (this.cut === null) return;
      const y = camera.y(this.level(1 / this.cut));
      context.strokeStyle = "#d55e00";
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(frame.x0, y);
      context.lineTo(frame.x1, y);
      context.stroke();
    });
  }
  /* The outline of an icicle: a step where points leave, unless a line of the screen has one already. */
  trace(context, camera, c) {
    const steps = [], end = camera.y(this.level(this.death[c]));
    let left = this.left[c], right = left + this.size[c], side = 0, last = camera.y(this.level(this.birth[c]));
    steps.push([left, right, last]);
    for (let k = this.start[c]; k < this.start[c + 1]; k++) {
      if (this.child[k] >= this.n) continue;
      const y = camera.y(this.level(this.lambda[k]));
      if (y - last > 0.7) {
        steps.push([left, right, y]);
        last = y;
      }
      if ((side ^= 1)) left++;
      else right--;
    }
    steps.push([left, right, end]);
    context.beginPath();
    steps.forEach(([from, , y], k) => {
      if (k) context.lineTo(camera.x(steps[k - 1][0] === from ? from : steps[k][0]), y);
      else context.moveTo(camera.x(from), y);
    });
    for (let k = steps.length - 1; k >= 0; k--) context.lineTo(camera.x(steps[k][1]), steps[k][2]);
    context.closePath();
  }
  mark(context, panel, row) {
    if (!this.slot) {
      this.slot = new Uint32Array(this.n);
      for (let k = 0; k < this.n; k++) this.slot[this.order[k]] = k;
    }
    const {camera, frame} = panel, x = camera.x(this.slot[row] + 0.5);
    context.strokeStyle = INK;
    context.lineWidth = 1.5;
    context.setLineDash([5, 3]);
    context.beginPath();
    context.moveTo(x, frame.y0);
    context.lineTo(x, frame.y1);
    context.stroke();
    context.setLineDash([]);
  }
  clusterAt(x, y, panel) {
    const camera = panel.camera, at = camera.dataX(x), level = camera.dataY(y);
    if (at < 0 || at >= this.n) return -1;
    let c = 0;
    for (;;) {
      if (level > this.level(this.birth[c])) return -1;
      if (level >= this.level(this.death[c])) return c;
      let next = -1;
      for (let k = this.start[c]; k < this.start[c + 1]; k++) {
        const d = this.child[k] - this.n;
        if (d > 0 && at >= this.left[d] && at < this.left[d] + this.size[d]) next = d;
      }
      if (next < 0) return -1;
      c = next;
    }
  }
  hit(x, y, panel) {
    const c = this.clusterAt(x, y, panel), table = this.page.table;
    if (c < 0) return null;
    const from = this.left[c], to = from + this.size[c], label = this.cut === null ? this.label[c] : 0;
    const facts = [["points", this.size[c].toLocaleString("en")],
      ["distance", `${shortNumber(1 / this.birth[c])} to ${shortNumber(1 / this.death[c])}`],
      ["stability", shortNumber(this.stability[c])]];
    const outline = (context) => {
      this.trace(context, panel.camera, c);
      context.strokeStyle = INK;
      context.lineWidth = 2;
      context.stroke();
    };
    return {rows: () => this.order.subarray(from, to), outline, facts,
      title: label ? wordOf(table.classes, label - 1) : c ? "not chosen" : "all points"};
  }
  rowsIn(polygon, panel) {
    const camera = panel.camera, rows = new Set();
    for (let c = 0; c < this.parent.length; c++) {
      const x = camera.x(this.left[c] + this.size[c] / 2);
      const ends = [[x, camera.y(this.level(this.birth[c]))], [x, camera.y(this.level(this.death[c]))]];
      if (!c || rows.has(this.order[this.left[c]]) || !polygonMeets(polygon, ...ends)) continue;
      for (let k = this.left[c]; k < this.left[c] + this.size[c]; k++) rows.add(this.order[k]);
    }
    return rows;
  }
}
