/* The data of the page: one table. */

const NUMBERS = {
  u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f32: Float32Array, f64: Float64Array,
};

/* packed: {type, bytes}, or null. */
function unpack(packed) {
  if (!packed) return null;
  const text = atob(packed.bytes);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new NUMBERS[packed.type](bytes.buffer);
}

/* A number in full: read again, it is the same. A number of single precision has no more digits than that needs. */
function textOfNumber(value, single) {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (!single) return Object.is(value, -0) ? "-0" : String(value);
  for (let digits = 6; digits < 9; digits++) {
    const text = String(Number(value.toPrecision(digits)));
    if (Math.fround(Number(text)) === value) return Object.is(value, -0) ? "-0" : text;
  }
  return String(Number(value.toPrecision(9)));
}

/* A field of CSV (RFC 4180). */
function csvField(text) {
  return /[",\r\n]/.test(text) || text !== text.trim() ? '"' + text.replace(/"/g, '""') + '"' : text;
}

/* What people read as the name of a class; its name in CSV may be a number. */
function wordOf(classes, c) {
  return (classes.words || classes.names)[c];
}

class Table {
  /* data: {count, what, names, columns: [{name, type, bytes}], classes: {heading, of, names, words, colors, legend}} */
  constructor(data) {
    this.count = data.count;
    this.what = data.what;
    this.names = data.names;
    this.columns = data.columns.map((c) => ({name: c.name, values: unpack(c), single: c.type === "f32"}));
    this.classes = data.classes;
    if (this.classes) this.classes.of = unpack(this.classes.of);
  }
  column(name) {
    return this.columns.find((c) => c.name === name).values;
  }
  nameOf(row) {
    return this.names ? this.names[row] : this.what + " " + row;
  }
  /* "3 points" */
  counted(count) {
    const more = /ch$/.test(this.what) ? "es" : "s";
    return `${count.toLocaleString("en")} ${this.what}${count === 1 ? "" : more}`;
  }
  colorOf(row) {
    return this.classes ? this.classes.colors[this.classes.of[row]] : "#0072b2";
  }
  valueText(column, row) {
    return textOfNumber(column.values[row], column.single);
  }
  /* What a tip says of a row: pairs of a word and a text. */
  factsOf(row) {
    const facts = this.columns.map((c) => [c.name, this.valueText(c, row)]);
    if (this.classes && this.classes.legend) facts.push([this.classes.heading, wordOf(this.classes, this.classes.of[row])]);
    return facts;
  }
  /* The rows as lines of CSV, in pieces, beneath a line of names. */
  csv(rows) {
    const heads = [this.names ? "name" : this.what].concat(this.columns.map((c) => c.name));
    const classes = this.classes && this.classes.legend ? this.classes : null;
    if (classes) heads.push(classes.heading);
    const pieces = [heads.map(csvField).join(",") + "\n"];
    for (const row of rows) {
      const fields = [this.names ? csvField(this.names[row]) : String(row)];
      for (const c of this.columns) fields.push(this.valueText(c, row));
      if (classes) fields.push(csvField(classes.names[classes.of[row]]));
      pieces.push(fields.join(",") + "\n");
    }
    return pieces;
  }
}
