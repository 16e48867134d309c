/* Polygons of the screen, ticks of axes, short texts of numbers. */

/* A polygon is a list of [x, y]. */
function polygonHolds(polygon, x, y) {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [ax, ay] = polygon[i], [bx, by] = polygon[j];
    if ((ay > y) !== (by > y) && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

function segmentsCross(a, b, c, d) {
  const side = (p, q, r) => (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
  return side(a, b, c) > 0 !== side(a, b, d) > 0 && side(c, d, a) > 0 !== side(c, d, b) > 0;
}

/* Whether a line from a to b has a point in the polygon. */
function polygonMeets(polygon, a, b) {
  if (polygonHolds(polygon, a[0], a[1]) || polygonHolds(polygon, b[0], b[1])) return true;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++)
    if (segmentsCross(a, b, polygon[i], polygon[j])) return true;
  return false;
}

function polygonBox(polygon) {
  const box = {x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity};
  for (const [x, y] of polygon) {
    box.x0 = Math.min(box.x0, x);
    box.x1 = Math.max(box.x1, x);
    box.y0 = Math.min(box.y0, y);
    box.y1 = Math.max(box.y1, y);
  }
  return box;
}

/* 1, 2 or 5 times a power of ten: about `count` such steps make the span. */
function niceStep(span, count) {
  const raw = span / Math.max(count, 1), power = 10 ** Math.floor(Math.log10(raw)), part = raw / power;
  return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

function ticksBetween(lo, hi, count) {
  const step = niceStep(hi - lo, count), ticks = [];
  if (!(step > 0) || !Number.isFinite(step)) return {step: 1, ticks: []};
  for (let k = Math.ceil(lo / step); k * step <= hi && ticks.length < 100; k++) ticks.push(k * step);
  return {step, ticks};
}

/* With as many digits as the step needs. */
function tickText(value, step) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const digits = Math.min(Math.max(Math.floor(Math.log10(size)) - Math.floor(Math.log10(step)) + 1, 1), 15);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(digits - 1).replace("e+", "e").replace("-", "\u2212");
  return value.toFixed(Math.min(Math.max(-Math.floor(Math.log10(step) + 1e-9), 0), 20)).replace("-", "\u2212");
}

/* About four digits, for tips. */
function shortNumber(value) {
  return Number.isFinite(value) ? String(Number(value.toPrecision(5))) : value > 0 ? "inf" : value < 0 ? "-inf" : "nan";
}

/* The color with so much white in it. */
function paler(color, part) {
  const [r, g, b] = channelsOf(color).map((c) => Math.round(c + (255 - c) * part));
  return `rgb(${r},${g},${b})`;
}

/* color: "#rrggbb". */
function channelsOf(color) {
  const all = parseInt(color.slice(1), 16);
  return [all >> 16, (all >> 8) & 255, all & 255];
}
