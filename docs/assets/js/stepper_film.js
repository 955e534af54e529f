// A film of the tile machine (tilewise.live.stepper): its frames, how its tensors are called
// and shaped, and what shows a part of a frame: a matrix, what moves, the formula. Every
// number in it is Python's.
import { button, el, number, spell, svg } from "./page.js";
import { tell } from "./stepper_words.js";

export const BY_KEY = /^d?[kv]$/;
// Python's dicts come without an order
export const entries = (film, named = {}) =>
  film.tensors.flatMap(([x]) => (x in named ? [[x, named[x]]] : []));
export const about = (film, name) => film.tensors.find(([x]) => x === name);
export const colour = (film, name) => `tw-in-${about(film, name)[2]}`;

// An element over the room of its longest text, and what is in it now. Nothing else moves when
// that changes, so it is laid out alone: a browser lays out all or such parts, never both.
export const over = (style, texts, ...now) => {
  const layer = el("span", { class: "tw-layer" }, ...now);
  return el("div", { class: `tw-layered ${style}`, "data-texts": texts }, layer);
};
export const longest = (texts) => texts.reduce((a, b) => (b.length > a.length ? b : a), "");

const INNER = "([^{}]*(?:\\{[^{}]*\\}[^{}]*)*)"; // what stands in braces, others within
const UPRIGHT = "(max|rowmax|rowsum|new|log|ln|tanh|sink|d(?=[A-Z]))";
const PIECE = new RegExp(`([_^])\\{${INNER}\\}|${UPRIGHT}|([A-Za-zℓτδαβ]\u0303?)|(.)`, "gu");
// Text with _{…} and ^{…} as elements: letters slanted, dO and the names upright.
export const math = (text) => {
  const made = [];
  for (const [, move, inner, name, letter, rest] of text.matchAll(PIECE))
    if (move) made.push(el(move === "_" ? "sub" : "sup", null, math(inner)));
    else if (letter?.[1]) made.push(el("i", { class: "tw-tilde" }, letter[0]));
    else made.push(letter ? el("i", null, letter) : (name ?? rest));
  return made;
};

// A sentence whose symbols are those of the boards.
export const spelled = (text) => spell(text, (x) => math(x.replace(/_(.)|(\d+)/, "_{$1$2}")));

// A line of a formula with its products in the colours of the two tensors, and what
// comes out in that of the third: PAIRS says which they are, by the phase.
const PAIRS = { s: "qks", pv: "svo", dv: "sov", dp: "ovs", delta: "oom", dq: "skq", dk: "sqk" };
const TIMES = /(\(−[^()]*\)|[^\s(]+) · (\(−[^()]*\)|[^\s)]+)/g;
export const painted = (text, phase) => {
  const [a, b, c] = PAIRS[text.startsWith("(P̃V)") ? "pv" : phase] ?? "";
  const end = text.lastIndexOf(" = ") + 3;
  if (!a) return math(text);
  const tint = (x, text) => el("span", { class: `tw-ink-${x}` }, math(text));
  const made = [];
  let last = 0;
  for (const found of text.slice(0, end).matchAll(TIMES)) {
    made.push(...math(text.slice(last, found.index)));
    made.push(tint(a, found[1]), " · ", tint(b, found[2]));
    last = found.index + found[0].length;
  }
  return [...made, ...math(text.slice(last, end)), tint(c, text.slice(end))];
};

export const named = (film, name, place, exact) => {
  const index = (_, x) => (place ? `_{${x.replace(/[ij]/g, (y) => place[y] + 1)}}` : "");
  const [, label, , , unit] = about(film, name);
  return label.replace(/_\{(\w+)\}/, index) + (exact && unit ? "/τ" : "");
};
export const plain = (film, name, step) => named(film, name, step).replace(/[_{}]/g, ""); // K1
export const shown = (film, x) => (film.exact ? x : number(x));

export const count = (film, name) => (BY_KEY.test(name) ? film.n_k : film.n);
export const blockOf = (film, name) => (BY_KEY.test(name) ? film.block_cols : film.block_rows);
export const columns = (film, name) => {
  const size = about(film, name)[3];
  return size === "c" ? Math.min(film.block_cols, film.n_k) : (film[size] ?? 1);
};

// The film's frames, one for each position: what is where, what is new, and how much of
// each tensor has crossed.
export const unroll = (film) => {
  const { counts, order } = film;
  const start = Object.fromEntries(counts[order].parts.map(([x]) => [x, 0]));
  for (const [name, rows] of Object.entries(film.first ? film.hbm : {}))
    if (RESULTS[film.pass].includes(name)) start[name] = rows.flat().length;
  let frame = { sram: {}, hbm: film.hbm, chip: {}, slab: {}, step: null, k: 0, moved: start };
  const frames = [frame];
  for (const step of film.steps) {
    const sram = { ...frame.sram };
    for (const name of step.drop ?? []) delete sram[name];
    const chip = {};
    for (const [name, rows] of Object.entries(step.put ?? {})) {
      chip[name] = sram[name] ?? [];
      sram[name] = rows;
    }
    const hbm = { ...frame.hbm };
    const slab = {};
    for (const [name, [first, rows]] of Object.entries(step.hbm ?? {})) {
      slab[name] = hbm[name] ?? [];
      hbm[name] = Array.from({ length: count(film, name) }, (_, r) =>
        r >= first && r < first + rows.length ? rows[r - first] : hbm[name]?.[r],
      );
    }
    const moved = { ...frame.moved };
    for (const way of [step.load, step.store])
      for (const name in way) moved[name] += way[name];
    frame = { sram, hbm, chip, slab, step, k: frames.length, moved };
    frames.push(frame);
  }
  return frames;
};
const RESULTS = { forward: ["o", "l", "m"], backward: ["dq", "dk", "dv"] };

export const box = (style, ...children) => el("div", { class: style }, ...children);
export const line = (style, ...children) => el("p", { class: style }, ...children);

// A text that is as it should be stays: all that is written is laid out again.
export const write = (text, now) => text.data === now || (text.data = now);

// An arrow as wide as the elements that move, 1.5 pixels each, or less where they are many.
const arrow = (film, name, n, place, way) => {
  const half = Math.min(0.75, 40 / film.largest) * n + 5;
  const right = 2 * half - 5;
  const points = `5,23 5,11 1,11 ${half},1 ${right + 4},11 ${right},11 ${right},23`;
  const turn = way === "store" ? { transform: `rotate(180 ${half} 12)` } : {};
  const shape = svg("polygon", { points, ...turn });
  const size = { width: 2 * half, height: 24, "aria-hidden": "true" };
  const text = el("span", null, math(named(film, name, place)), ` ${n}`);
  const style = `tw-arrow tw-${way} ${colour(film, name)}`;
  return el("span", { class: style }, svg("svg", size, shape), text);
};

// What moves one way, load or store. What was made once is shown again where it is the same.
export class Way {
  constructor(film, way) {
    Object.assign(this, { film, way, made: {}, shown: "" });
    [this.arrows, this.sum] = [box("tw-arrows"), new Text()];
    const sets = {}; // all arrows that ever stand here, for the room of the highest
    for (const step of film.steps) {
      const moved = entries(film, step[way]);
      sets[moved.join()] ??= moved.map(([name, n]) => arrow(film, name, n, step, way));
    }
    const rooms = Object.values(sets).map((set) => box("tw-arrows tw-widest", set));
    const now = box("tw-layer", this.arrows, el("p", null, this.sum));
    this.node = box("tw-way", now, box("tw-rooms", rooms));
  }

  draw({ step }) {
    const { film, way } = this;
    const moved = entries(film, step?.[way]);
    const now = moved.reduce((sum, [, n]) => sum + n, 0);
    const all = way === "load" ? (step?.loaded ?? 0) : (step?.stored ?? film.first);
    write(this.sum, tell(way === "load" ? "in" : "out", { now, all }));
    const keys = moved.map(([name, n]) => `${named(film, name, step)} ${n}`);
    if (keys.join() === this.shown) return;
    this.shown = keys.join();
    this.arrows.replaceChildren(...moved.map(([name, n], at) =>
      (this.made[keys[at]] ??= arrow(film, name, n, step, way))));
  }
}

// The formula of the step, and the same with the numbers of one row. Lines that were made
// once are shown again; the buttons of the rows stay, with other names.
export class Formula {
  constructor(film, choose) {
    Object.assign(this, { film, choose, made: {} });
    const parts = ["tw-general", "tw-rows", "tw-numbers"].map((x) => box(x));
    [this.general, this.rows, this.numbers] = parts;
    this.what = new Text();
    this.buttons = [];
    this.rows.append(this.what);
    this.node = box("tw-formula", box("tw-layer", parts), box("tw-rooms", this.rooms()));
    const lines = ({ lines, phase }) =>
      (lines?.[0].length ?? 0) + (film.general[phase]?.length ?? 0);
    this.node.style.setProperty("--tw-lines", Math.max(...film.steps.map(lines)));
  }

  // For each phase the longest of each of its lines.
  rooms() {
    const made = {};
    for (const { phase, lines } of this.film.steps)
      for (const row of lines ?? [])
        row.forEach((text, n) => {
          const all = (made[phase] ??= []);
          all[n] = longest([all[n] ?? "", text.replace(/[_^{}]/g, "")]);
        });
    return Object.entries(made).map(([phase, lines]) => {
      const texts = [...this.film.general[phase], "", ...lines].join("\n");
      return el("div", { class: "tw-spare", "data-texts": texts });
    });
  }

  button(r) {
    const node = button(new Text(), () => this.choose(r), { "data-row": r });
    this.rows.append(node);
    return { node, text: node.firstChild };
  }

  lines(key, texts, phase) {
    return (this.made[key] ??= texts.map((x) =>
      el("p", null, phase ? painted(x, phase) : math(x))));
  }

  draw({ step, k }, row) {
    const { film } = this;
    const general = film.general[step?.phase] ?? [];
    const lines = step?.lines;
    const at = Math.min(row, (lines?.length ?? 0) - 1);
    for (const one of [this.general, this.rows, this.numbers]) one.hidden = !lines;
    if (!lines) return;
    const { phase, i, j } = step;
    if (phase !== this.phase) this.general.replaceChildren(...this.lines(phase, general));
    this.numbers.replaceChildren(...this.lines(`${k} ${at}`, lines[at], phase));
    this.phase = phase;
    const keys = phase === "dk" || phase === "dv";
    const first = (keys ? j * film.block_cols : i * film.block_rows) + 1;
    const what = tell(keys ? "key" : "row");
    write(this.what, what);
    lines.forEach((_, r) => (this.buttons[r] ??= this.button(r)));
    this.buttons.forEach(({ node, text }, r) => {
      node.hidden = r >= lines.length;
      if (text.data !== String(first + r)) text.data = first + r;
      node.ariaLabel = `${what} ${first + r}`;
      node.ariaPressed = String(r === at);
    });
  }
}

export const range = (n) => Array.from({ length: n }, (_, x) => x);
export const list = (row) => (Array.isArray(row) ? row : [row]);

const title = (text) => {
  const [name, unit] = text.split("/");
  return [...math(name), ...(unit ? [el("span", { class: "tw-unit" }, "/", math(unit))] : [])];
};

// One matrix: a table whose rows and columns are tracks of the board.
export class Matrix {
  constructor(names, film, [rows, cols], turned) {
    Object.assign(this, { names, film, rows, cols, turned });
    this.label = el("div", { class: "tw-name", "aria-hidden": "true" });
    this.cells = range(rows).map(() => range(cols).map(() => el("td")));
    for (const one of this.cells.flat()) {
      Object.assign(one, { said: "", look: "", text: new Text() }); // as it was drawn last
      one.append(one.text);
    }
    const line = (a) => el("tr", null, a.map((b) => (b.place = [this, ...b.place]) && b));
    this.cells.forEach((row, r) => row.forEach((one, c) => (one.place = [r, c])));
    const lines = turned ? range(cols).map((c) => this.cells.map((row) => row[c])) : this.cells;
    this.table = el("table", { class: `tw-cells ${colour(film, names[0])}` },
      el("tbody", null, lines.map(line)));
  }

  call(text, spoken) {
    if (text !== this.text) (this.now ?? this.label).replaceChildren(...title(text));
    if (spoken !== this.spoken) this.table.ariaLabel = spoken;
    Object.assign(this, { text, spoken });
  }

  // The label has the room of its longest text, and that of now lies over it.
  keep(longest) {
    this.now = el("span", { class: "tw-layer" });
    this.label.append(this.now, el("span", { class: "tw-widest" }, title(longest)));
  }

  // Whether it is as it was drawn last.
  same(...seen) {
    const same = this.seen?.every((x, n) => x === seen[n]);
    this.seen = seen;
    return same;
  }

  // Only what differs is written: all else need not be laid out or painted again.
  set(r, c, text, style = "") {
    const one = this.cells[r][c];
    if (one.said !== text) one.text.data = one.said = text;
    if (one.look === style) return;
    one.className = one.look = style;
    if (one.digits) one.digits.className = style.startsWith("tw-fresh") ? "tw-bold" : "";
  }

  block(n) {
    const size = blockOf(this.film, this.names[0]);
    return this.cells.slice(n * size, (n + 1) * size).flat();
  }
}
