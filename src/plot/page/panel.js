/* A panel: a canvas for a view, and one above it for what moves with the pointer. */

const MARGIN = {left: 66, right: 14, top: 10, bottom: 46}; /* around a view, in pixels */
const CLOSEST = 1e9; /* a panel shows no less than this part of its data */
const SOON = 150; /* milliseconds without zoom and pan */

/* From data to pixels: x grows to the right, y upwards. */
class Camera {
  /* bounds: {x0, x1, y0, y1}. equal: one unit is as long on both axes. */
  fit(bounds, frame, equal, pad) {
    const width = frame.x1 - frame.x0, height = frame.y1 - frame.y0;
    const scale = (lo, hi, size) => Math.max(size - 2 * pad, 20) / 2 / (hi / 2 - lo / 2);
    let sx = scale(bounds.x0, bounds.x1, width), sy = scale(bounds.y0, bounds.y1, height);
    if (!Number.isFinite(sx)) sx = null; /* all values are equal */
    if (!Number.isFinite(sy)) sy = null;
    if (equal) sx = sy = sx === null ? sy : sy === null ? sx : Math.min(sx, sy);
    if (sx === null) sx = width / 4 / (Math.abs(bounds.x0) || 1);
    if (sy === null) sy = height / 4 / (Math.abs(bounds.y0) || 1);
    this.sx = sx;
    this.sy = sy;
    this.ox = (frame.x0 + frame.x1) / 2 - (bounds.x0 / 2 + bounds.x1 / 2) * sx;
    this.oy = (frame.y0 + frame.y1) / 2 + (bounds.y0 / 2 + bounds.y1 / 2) * sy;
    this.all = {sx, sy}; /* scales at which all is shown */
  }
  x(value) {
    return this.ox + value * this.sx;
  }
  y(value) {
    return this.oy - value * this.sy;
  }
  dataX(x) {
    return (x - this.ox) / this.sx;
  }
  dataY(y) {
    return (this.oy - y) / this.sy;
  }
  /* What is at (x, y) stays there. axes: "x", "y" or "xy". */
  zoom(factor, x, y, axes) {
    const allowed = (now, all) => now * factor <= all * CLOSEST && now * factor >= all / 4;
    if (axes.includes("x") && allowed(this.sx, this.all.sx)) {
      this.ox = x + (this.ox - x) * factor;
      this.sx *= factor;
    }
    if (axes.includes("y") && allowed(this.sy, this.all.sy)) {
      this.oy = y + (this.oy - y) * factor;
      this.sy *= factor;
    }
  }
  pan(dx, dy) {
    this.ox += dx;
    this.oy += dy;
  }
}

class Panel {
  /* page: {table, selection, tool, tip(hit, event), hover(row), dragged()} */
  constructor(page, view, title) {
    this.page = page;
    this.view = view;
    this.camera = new Camera();
    this.moved = false; /* the reader has zoomed or panned */
    this.drag = null;
    this.waiting = false;
    this.stirred = false; /* zoomed or panned just now: a view may draw a part, as all follows soon */
    this.element = document.createElement("section");
    this.heading = title;
    this.head = document.createElement("h2");
    const stage = document.createElement("div");
    stage.className = "stage";
    this.below = document.createElement("canvas");
    this.above = document.createElement("canvas");
    this.above.tabIndex = 0;
    this.above.setAttribute("role", "img");
    this.name();
    stage.append(this.below, this.above);
    this.element.append(this.head, stage);
    this.listen();
    new ResizeObserver(() => this.resize()).observe(stage);
  }

  resize() {
    const box = this.below.parentNode.getBoundingClientRect();
    this.ratio = window.devicePixelRatio || 1;
    this.width = Math.max(box.width, 120);
    this.height = Math.max(box.height, 120);
    for (const canvas of [this.below, this.above]) {
      canvas.width = Math.round(this.width * this.ratio);
      canvas.height = Math.round(this.height * this.ratio);
    }
    const m = Object.assign({}, MARGIN, this.view.margin);
    this.frame = {x0: m.left, y0: m.top, x1: this.width - m.right, y1: this.height - m.bottom};
    if (!this.moved) this.fit();
    this.redraw();
  }
  /* The view shows something else. */
  renew() {
    this.name();
    this.resize();
    this.fit();
  }
  name() {
    const title = this.view.title ? this.view.title() : this.heading;
    this.head.textContent = this.head.title = title;
    this.above.setAttribute("aria-label", title);
  }
  fit() {
    this.moved = false;
    this.camera.fit(this.view.bounds(), this.frame, this.view.equal, this.view.pad === undefined ? 14 : this.view.pad);
    this.redraw();
  }

  /* After zoom and pan. */
  stir() {
    this.moved = this.stirred = true;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.stirred = false;
      this.redraw();
    }, SOON);
    this.redraw();
  }
  /* Draws with the next frame, once. */
  redraw() {
    if (this.waiting || !this.frame) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const context = this.below.getContext("2d");
      context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      context.clearRect(0, 0, this.width, this.height);
      this.view.draw(context, this);
      this.redrawAbove();
    });
  }
  redrawAbove() {
    if (!this.frame) return;
    const context = this.above.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    this.clipped(context, () => {
      if (this.page.hovered >= 0) this.view.mark(context, this, this.page.hovered);
      if (this.hit && this.hit.outline) this.hit.outline(context);
    });
    if (this.drag && this.drag.polygon) this.drawPolygon(context, this.drag.polygon);
  }
  /* Draws within the frame. */
  clipped(context, draw) {
    const f = this.frame;
    context.save();
    context.beginPath();
    context.rect(f.x0, f.y0, f.x1 - f.x0, f.y1 - f.y0);
    context.clip();
    draw();
    context.restore();
  }
  drawPolygon(context, polygon) {
    context.beginPath();
    for (const [x, y] of polygon) context.lineTo(x, y);
    context.closePath();
    context.fillStyle = "rgba(0,114,178,.12)";
    context.fill();
    context.strokeStyle = "#0072b2";
    context.lineWidth = 1.5;
    context.stroke();
  }

  /* ---- the pointer ---- */

  listen() {
    const on = (name, act, options) => this.above.addEventListener(name, act, options);
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.release(event));
    on("pointercancel", () => this.cancel());
    on("pointerleave", () => this.leave());
    on("dblclick", () => this.fit());
    on("wheel", (event) => this.wheel(event), {passive: false});
    on("keydown", (event) => this.key(event));
  }
  placeOf(event) {
    const box = this.above.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
  press(event) {
    if (event.button) return;
    const at = this.placeOf(event), tool = event.shiftKey && this.page.tool === "pan" ? "box" : this.page.tool;
    this.above.setPointerCapture(event.pointerId);
    this.drag = {tool, from: at, last: at, far: false, path: [at], polygon: null};
  }
  move(event) {
    const at = this.placeOf(event), drag = this.drag;
    if (!drag) return this.lookAt(at, event);
    drag.far = drag.far || Math.hypot(at[0] - drag.from[0], at[1] - drag.from[1]) > 4;
    if (!drag.far) return;
    this.page.tip(null);
    if (drag.tool === "pan") {
      this.camera.pan(at[0] - drag.last[0], at[1] - drag.last[1]);
      this.stir();
    } else if (drag.tool === "box") {
      const [x, y] = drag.from;
      drag.polygon = [[x, y], [at[0], y], at, [x, at[1]]];
      this.redrawAbove();
    } else {
      drag.path.push(at);
      drag.polygon = drag.path;
      this.redrawAbove();
    }
    drag.last = at;
  }
  release(event) {
    const drag = this.drag;
    this.drag = null;
    if (!drag) return;
    const how = event.altKey ? "remove" : event.shiftKey || event.ctrlKey || event.metaKey ? "add" : "replace";
    if (drag.polygon) this.page.selection.change(this.view.rowsIn(drag.polygon, this), how);
    else if (!drag.far) this.click(this.placeOf(event), how);
    this.redrawAbove();
  }
  click(at, how) {
    const hit = this.view.hit(at[0], at[1], this);
    if (!hit) {
      if (how === "replace") this.page.selection.change([], "replace");
      return;
    }
    const rows = hit.rows();
    const again = how === "add" && rows.length === 1 && this.page.selection.has(rows[0]);
    this.page.selection.change(rows, again ? "remove" : how);
  }
  cancel() {
    this.drag = null;
    this.redrawAbove();
  }
  leave() {
    if (this.drag) return;
    this.hit = null;
    this.page.tip(null);
    this.page.hover(-1);
    this.redrawAbove();
  }
  lookAt(at, event) {
    const f = this.frame;
    const inside = f && at[0] >= f.x0 && at[0] <= f.x1 && at[1] >= f.y0 && at[1] <= f.y1;
    this.hit = inside ? this.view.hit(at[0], at[1], this) : null;
    this.page.tip(this.hit, event);
    this.page.hover(this.hit && this.hit.row !== undefined ? this.hit.row : -1);
    this.redrawAbove();
  }
  wheel(event) {
    event.preventDefault();
    const [x, y] = this.placeOf(event), turned = (event.deltaY || event.deltaX) * (event.deltaMode === 1 ? 16 : 1);
    const own = this.view.zooms || "xy", other = own === "x" ? "y" : own === "y" ? "x" : "xy";
    this.zoomAt(Math.exp(-0.0016 * Math.max(-400, Math.min(400, turned))), x, y, event.shiftKey ? other : own);
  }
  zoomAt(factor, x, y, axes) {
    this.camera.zoom(factor, x, y, axes);
    this.page.tip(null);
    this.stir();
  }
  key(event) {
    const steps = {ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40]};
    const factor = {"+": 1.25, "=": 1.25, "-": 0.8}[event.key];
    if (steps[event.key]) {
      this.camera.pan(...steps[event.key]);
      this.stir();
    } else if (factor) this.zoomAt(factor, this.width / 2, this.height / 2, this.view.zooms || "xy");
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }
}
