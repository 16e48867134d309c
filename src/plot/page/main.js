/* Puts the page together. */

const VIEWS = {
  scatter: (page, spec) => new Scatter(page, spec),
  bars: (page, spec) => new Bars(page, spec),
  dendrogram: (page, spec) => new Dendrogram(page, spec),
  icicles: (page, spec) => new Icicles(page, spec),
  branches: (page, spec) => new Branches(page, spec),
  details: (page, spec) => new Details(page, spec),
  image: (page, spec) => new Picture(page, spec),
};
const LEGEND = 60; /* classes shown at most */

class Page {
  constructor(data) {
    this.data = data;
    this.table = new Table(data.table);
    this.selection = new Selection(this.table.count);
    document.title = byId("title").textContent = data.title;
    byId("line").textContent = data.line;
    this.tool = "pan";
    this.hovered = -1;
    this.tipBox = byId("tip");
    this.panels = data.views.map((spec) => new Panel(this, VIEWS[spec.kind](this, spec), spec.title || data.title));
    byId("views").append(...this.panels.map((panel) => panel.element));
    this.selection.listeners.push(() => this.selected());
    this.listLegend();
    this.listenToTools();
    this.choose("pan");
    this.selection.change([], "replace");
  }

  /* ---- tools ---- */

  listenToTools() {
    for (const button of document.querySelectorAll("[data-tool]"))
      button.addEventListener("click", () => this.choose(button.dataset.tool));
    byId("fit").addEventListener("click", () => this.panels.forEach((panel) => panel.fit()));
    byId("clear").addEventListener("click", () => this.selection.change([], "replace"));
    byId("save").addEventListener("click", () => this.save());
    byId("search").addEventListener("change", () => this.search(byId("search").value));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.selection.change([], "replace");
    });
  }
  choose(tool) {
    this.tool = tool;
    for (const button of document.querySelectorAll("[data-tool]"))
      button.setAttribute("aria-pressed", String(button.dataset.tool === tool));
    for (const panel of this.panels) panel.above.classList.toggle("pan", tool === "pan");
  }
  selected() {
    const {size} = this.selection;
    byId("selected").textContent = size
      ? `\u2013 ${size.toLocaleString("en")} of ${this.table.counted(this.table.count)} selected`
      : "";
    byId("clear").disabled = !size;
    byId("save").textContent = size ? "Save selection as CSV" : "Save all as CSV";
    for (const panel of this.panels) panel.redraw();
  }
  /* Selects the rows whose names have this text in them. */
  search(text) {
    const rows = [], wanted = text.toLowerCase();
    for (let row = 0; wanted && row < this.table.count; row++)
      if (this.table.nameOf(row).toLowerCase().includes(wanted)) rows.push(row);
    this.selection.change(rows, "replace");
  }
  save() {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(this.table.csv(this.selection.rows()), {type: "text/csv"}));
    link.download = "selection.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  /* ---- what the pointer is at ---- */

  hover(row) {
    if (row === this.hovered) return;
    this.hovered = row;
    for (const panel of this.panels) {
      panel.redrawAbove();
      if (panel.view.follow && panel.view.follow(row)) panel.renew();
    }
  }
  tip(hit, event) {
    this.tipBox.hidden = !hit;
    if (!hit) return;
    const title = document.createElement("b");
    title.textContent = hit.title;
    const lines = hit.facts.map(([name, text]) => {
      const line = document.createElement("span");
      line.textContent = `${name}: ${text}`;
      return line;
    });
    this.tipBox.replaceChildren(title, ...lines);
    const {width, height} = this.tipBox.getBoundingClientRect();
    const right = event.clientX + 14 + width < window.innerWidth, below = event.clientY + 14 + height < window.innerHeight;
    this.tipBox.style.left = Math.max(4, right ? event.clientX + 14 : event.clientX - 14 - width) + "px";
    this.tipBox.style.top = Math.max(4, below ? event.clientY + 14 : event.clientY - 14 - height) + "px";
  }

  /* ---- the legend ---- */

  listLegend() {
    const classes = this.table.classes;
    if (!classes || !classes.legend) return;
    const counts = new Uint32Array(classes.names.length);
    for (const c of classes.of) counts[c]++;
    const used = Array.from(counts.keys()).filter((c) => counts[c]);
    if (classes.names[used[used.length - 1]] === "-1") used.unshift(used.pop()); /* noise */
    for (const c of used.slice(0, LEGEND)) byId("legend").append(this.legendButton(c, counts[c]));
    if (used.length > LEGEND) byId("legend").append(`and ${used.length - LEGEND} more`);
  }
  legendButton(c, count) {
    const classes = this.table.classes, button = document.createElement("button");
    const dot = document.createElement("i"), name = document.createElement("span"), number = document.createElement("span");
    dot.style.background = classes.colors[c];
    name.className = "name";
    name.textContent = button.title = wordOf(classes, c);
    number.className = "count";
    number.textContent = count.toLocaleString("en");
    button.append(dot, name, number);
    button.addEventListener("click", (event) => {
      const rows = [];
      for (let row = 0; row < this.table.count; row++) if (classes.of[row] === c) rows.push(row);
      this.selection.change(rows, event.shiftKey || event.ctrlKey || event.metaKey ? "add" : "replace");
    });
    return button;
  }
}

function byId(id) {
  return document.getElementById(id);
}

document.addEventListener("DOMContentLoaded", () => {
  window.glshapePage = new Page(JSON.parse(byId("data").textContent));
});
