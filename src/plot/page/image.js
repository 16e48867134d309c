/* An image whose pixels belong to rows. */

class Picture {
  /* spec: {rows, columns: of the image, from the top; cells} */
  constructor(page, spec) {
    this.page = page;
    this.rows = spec.rows;
    this.columns = spec.columns;
    this.cells = unpack(spec.cells);
    this.equal = true;
    this.pad = 2;
    this.margin = {left: 16, bottom: 16};
    this.sheet = document.createElement("canvas");
    this.sheet.width = this.columns;
    this.sheet.height = this.rows;
    page.selection.listeners.unshift(() => this.paint());
  }
  paint() {
    const {table, selection} = this.page, image = new ImageData(this.columns, this.rows);
    const pixels = new Uint32Array(image.data.buffer), colors = new Map();
    for (let k = 0; k < pixels.length; k++) {
      const row = this.cells[k], key = table.colorOf(row) + (selection.size && !selection.has(row) ? "-" : "");
      if (!colors.has(key)) {
        const [r, g, b] = channelsOf(key).map((v) => (key.endsWith("-") ? Math.round(v + (255 - v) * 0.8) : v));
        colors.set(key, ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0);
      }
      pixels[k] = colors.get(key);
    }
    this.sheet.getContext("2d").putImageData(image, 0, 0);
  }
  bounds() {
    return {x0: 0, x1: this.columns, y0: -this.rows, y1: 0};
  }
  draw(context, panel) {
    const camera = panel.camera;
    panel.clipped(context, () => {
      context.imageSmoothingEnabled = camera.sx < 1;
      context.drawImage(this.sheet, camera.x(0), camera.y(0), this.columns * camera.sx, this.rows * camera.sy);
    });
    drawAxes(context, panel, {});
  }
  mark(context, panel, row) {
    const camera = panel.camera;
    context.fillStyle = "rgba(0,0,0,.45)";
    if (this.cells.length > 300000) return; /* too many to look at with each move of the pointer */
    for (let r = 0; r < this.rows; r++)
      for (let c = 0; c < this.columns; c++)
        if (this.cells[r * this.columns + c] === row)
          context.fillRect(camera.x(c), camera.y(-r), Math.max(camera.sx, 1), Math.max(camera.sy, 1));
  }
  hit(x, y, panel) {
    const c = Math.floor(panel.camera.dataX(x)), r = Math.floor(-panel.camera.dataY(y)), table = this.page.table;
    if (c < 0 || r < 0 || c >= this.columns || r >= this.rows) return null;
    const row = this.cells[r * this.columns + c];
    return {row, rows: () => [row], title: table.nameOf(row), facts: table.factsOf(row).concat([["row, column", `${r}, ${c}`]])};
  }
  rowsIn(polygon, panel) {
    const camera = panel.camera, found = new Set();
    for (let r = 0; r < this.rows; r++)
      for (let c = 0; c < this.columns; c++)
        if (polygonHolds(polygon, camera.x(c + 0.5), camera.y(-r - 0.5))) found.add(this.cells[r * this.columns + c]);
    return found;
  }
}
