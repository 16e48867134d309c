/* Axes of a panel: lines of a grid, ticks, names. */

const INK = "#222222", GRAY = "#5a5a5a", GRID = "#e4e4e4", AXIS = "#bbbbbb";
const FONT = '13px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

/* o: {x, y: {title, sign, ticks, has}}. has(at): whether there may be a tick. Without one, that side has no axis. sign -1: the data are negated values.
 * ticks(lo, hi): a list of {at, text} in place of round numbers. */
function drawAxes(context, panel, o) {
  const f = panel.frame;
  context.font = FONT;
  context.lineWidth = 1;
  if (o.x) drawTicks(context, panel, o.x, true);
  if (o.y) drawTicks(context, panel, o.y, false);
  context.strokeStyle = AXIS;
  context.strokeRect(f.x0 - 0.5, f.y0 - 0.5, f.x1 - f.x0 + 1, f.y1 - f.y0 + 1);
}

function listTicks(panel, axis, level) {
  const f = panel.frame, camera = panel.camera;
  const lo = level ? camera.dataX(f.x0) : camera.dataY(f.y1), hi = level ? camera.dataX(f.x1) : camera.dataY(f.y0);
  if (axis.ticks) return axis.ticks(lo, hi);
  const {step, ticks} = ticksBetween(lo, hi, level ? (f.x1 - f.x0) / 90 : (f.y1 - f.y0) / 60);
  return ticks.filter((at) => !axis.has || axis.has(at)).map((at) => ({at, text: tickText(at * (axis.sign || 1), step)}));
}

function drawTicks(context, panel, axis, level) {
  const f = panel.frame, camera = panel.camera;
  context.textAlign = level ? "center" : "right";
  context.textBaseline = level ? "top" : "middle";
  for (const tick of listTicks(panel, axis, level)) {
    const at = Math.round(level ? camera.x(tick.at) : camera.y(tick.at)) + 0.5;
    if (level ? at < f.x0 || at > f.x1 : at < f.y0 || at > f.y1) continue;
    context.strokeStyle = GRID;
    context.beginPath();
    context.moveTo(level ? at : f.x0, level ? f.y0 : at);
    context.lineTo(level ? at : f.x1, level ? f.y1 : at);
    context.stroke();
    context.fillStyle = GRAY;
    context.fillText(tick.text, level ? at : f.x0 - 7, level ? f.y1 + 6 : at, level ? 88 : f.x0 - 22);
  }
  if (!axis.title) return;
  context.save();
  context.fillStyle = INK;
  context.textAlign = "center";
  context.textBaseline = level ? "bottom" : "top";
  if (level) context.translate((f.x0 + f.x1) / 2, panel.height - 3);
  else {
    context.translate(2, (f.y0 + f.y1) / 2);
    context.rotate(-Math.PI / 2);
  }
  context.fillText(axis.title, 0, 0);
  context.restore();
}

/* A word at the right end of a dashed line. */
function drawLimit(context, panel, y, text) {
  const f = panel.frame;
  context.save();
  context.setLineDash([4, 4]);
  context.strokeStyle = AXIS;
  context.beginPath();
  context.moveTo(f.x0, y);
  context.lineTo(f.x1, y);
  context.stroke();
  context.restore();
  context.fillStyle = GRAY;
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillText(text, f.x0 - 7, y);
}
