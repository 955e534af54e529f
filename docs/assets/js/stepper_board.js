// The two boards of the tile machine, as one multiplies on paper: what belongs to queries
// left and right of S, what belongs to keys turned above and below it. A board is one
// grid, so that rows and columns of all its matrices are in line.
import { el } from "./page.js";
import {
  BY_KEY, Matrix, blockOf, columns, count, list, longest, named, plain, range, shown, spelled,
} from "./stepper_film.js";
import { tell } from "./stepper_words.js";

// Templates; "." is empty. In a place named a|b, b covers a.
const CHIP = {
  forward: [". k", "q s|pt mt lt m l mn|lse ln a b o", ". v"],
  standard: [". k", "q s|p o", ". v"],
  backward: [". . dk dv", ". . k v", "dq q s|p dp|ds l m delta o do"],
};
const FLOOR = {
  "kv-outer": [". k", "q s m l o", ". v"],
  "q-outer": [". k", "q s lse o", ". v"],
  standard: [". k", "q s|p o", ". v"],
  backward: [". . dk", ". . k", "dq q s l m o do", ". . v", ". . dv"],
};
// Where each matrix of a template lies: its tracks, and those of its name.
const place = (template, film, shape) => {
  const names = template.map((line) => line.split(" "));
  const wide = Math.max(...names.map((line) => line.length));
  const size = (name, axis) => (!name || name === "." ? 0 : shape(name)[axis]);
  const across = range(wide).map((x) => Math.max(...names.map((line) => size(line[x], 1))));
  const down = names.map((line) => Math.max(...line.map((name) => size(name, 0))));
  const starts = (sizes, more) => sizes.map((_, x) =>
    sizes.slice(0, x).reduce((sum, n) => sum + n + 1, 1) + more(x));
  const main = names.findIndex((line) => line[0] !== ".");
  const [left, top] = [starts(across, () => 0), starts(down, (y) => (y >= main ? 1 : 0))];
  const track = (n, size) => `repeat(${n}, ${size})`;
  const gaps = (sizes, size) => sizes.map((n) => track(n, size));
  const rows = gaps(down, "var(--tw-h)");
  rows[main] = `auto ${rows[main]}`; // a line of names
  const found = [];
  names.forEach((line, y) => line.forEach((name, x) => {
    if (name === ".") return;
    const [tall, broad] = shape(name);
    const beside = !line[x - 1] || line[x - 1] === "." ? x - 1 : x + 1;
    const label = y === main
      ? [top[y] - 1, left[x], 1, broad]
      : [top[y], left[beside] ?? left[x] + broad + 1, tall, across[beside] ?? 1];
    const at = [top[y], left[x], tall, broad];
    found.push({ name, at, label, side: y !== main, after: beside > x });
  }));
  return { found, columns: gaps(across, "minmax(var(--tw-w), auto)").join(" var(--tw-g) "),
    rows: rows.join(" var(--tw-g) ") };
};

const put = (one, [y, x, tall, broad]) =>
  (one.style.gridArea = `${y} / ${x} / span ${tall} / span ${broad}`);

// Lays an outline over some rows and columns of a matrix, each [first, how many].
const cover = (node, { x, y, at }, rows, cols) => {
  const span = (edges, [first, n]) =>
    [edges[first][0], edges[Math.min(first + n, edges.length) - 1][1]];
  const [[left, right], [top, bottom]] = [span(x, cols), span(y, rows)];
  const { style } = node;
  style.transform = `translate(${left}px, ${top}px)`;
  const size = [`${right - left}px`, `${bottom - top}px`]; // the same for most blocks
  if (style.width !== size[0]) style.width = size[0];
  if (style.height !== size[1]) style.height = size[1];
  node.middle = (left + right) / 2;
  const area = (start, [first, n], { length }) =>
    `${start + first} / span ${Math.min(n, length - first)}`;
  node.paper = [area(at[0], rows, y), area(at[1], cols, x)]; // where all sizes are others
};

class Board {
  constructor(film, template, shape, style, name) {
    this.film = film;
    this.all = {};
    const turned = (x) => BY_KEY.test(x);
    const both = (x) => {
      const [rows, cols] = shape(x.split("|")[0]);
      return turned(x) ? [cols, rows] : [rows, cols];
    };
    const { found, columns, rows } = place(template, film, both);
    this.grid = el("div", { class: "tw-board" });
    this.grid.style.gridTemplate = `${rows} / ${columns}`;
    for (const { name, at, label, side, after } of found) {
      const names = name.split("|");
      const made = new Matrix(names, film, shape(names[0]), turned(name));
      put(made.table, at);
      put(made.label, label);
      if (side) made.label.classList.add(after ? "tw-after" : "tw-side");
      this.grid.append(made.label, made.table);
      for (const one of names) this.all[one] = made;
      made.at = at;
    }
    const units = film.exact && el("span", { class: "tw-units" }, spelled(tell("units")));
    const where = el("p", { class: "tw-where" }, tell(name), name === "chip" && units);
    this.node = el("div", { class: `${style} tw-${film.pass}` }, where, this.grid);
  }
}

// What is on the chip; every slot has the size of a whole block.
export class Chip extends Board {
  constructor(film) {
    const rows = (name) => Math.min(blockOf(film, name), count(film, name));
    const kind = film.order === "standard" ? "standard" : film.pass;
    const shape = (name) => [rows(name), columns(film, name)];
    super(film, CHIP[kind], shape, `tw-chip tw-is-${kind}`, "chip");
    this.widen();
  }

  // Columns are as wide as the widest number that they ever show. So a step changes no width,
  // and a cell, whose size does not hang on its text, is laid out alone.
  widen() {
    const { film } = this;
    const end = (n, size) => Math.ceil(n / size) - 1;
    const last = { i: end(film.n, film.block_rows), j: end(film.n_k, film.block_cols) };
    for (const made of new Set(Object.values(this.all))) {
      const wide = range(made.at[3]).map(() => new Set());
      for (const step of film.steps)
        for (const name of made.names)
          step.put?.[name]?.forEach((row, r) => list(row).forEach((x, c) =>
            wide[made.turned ? r : c].add(shown(film, x).replace(/\d/g, "0"))));
      wide.forEach((texts, x) => {
        const one = el("div", { class: "tw-wide", "data-texts": [...texts].join("\n") });
        put(one, [made.at[0], made.at[1] + x, 1, 1]);
        this.grid.append(one);
      });
      const names = made.names.map((name) => named(film, name, last, film.exact));
      for (const one of made.cells.flat()) {
        one.digits = el("span", null, one.text); // bold or not: another font is laid out
        one.append(el("span", { class: "tw-digits" }, one.digits));
      }
      made.keep(longest(names));
    }
  }

  draw(frame, row) {
    for (const made of new Set(Object.values(this.all))) {
      const name = made.names.findLast((x) => frame.sram[x]) ?? made.names[0];
      const { step } = frame;
      const now = frame.sram[name];
      const before = frame.chip[name];
      const here = before && step.lines && step.phase !== "store";
      if (made.same(name, now, before, here && row, now && step.i, now && step.j)) continue;
      const label = named(this.film, name, now && step, this.film.exact);
      made.call(label, tell("in sram", { name: plain(this.film, name, now && step) }));
      made.label.classList.toggle("tw-gone", !now);
      for (const r of range(made.rows))
        for (const c of range(made.cols)) {
          const x = now?.[r] === undefined ? undefined : list(now[r])[c];
          const fresh = before && x !== undefined && x !== list(before[r])[c];
          const style = x === undefined ? "tw-none" : fresh ? "tw-fresh" : "";
          made.set(r, c, x === undefined ? "" : shown(this.film, x),
            here && r === row ? `${style} tw-line` : style);
        }
    }
  }
}

// HBM, the floor: every matrix whole, and in the middle S, which is not there.
export class Floor extends Board {
  constructor(film, frames) {
    const template = film.pass === "backward" ? FLOOR.backward : FLOOR[film.order];
    const shape = (name) =>
      name === "s" ? [film.n, film.n_k] : [count(film, name), columns(film, name)];
    super(film, template, shape, "tw-hbm", "hbm");
    const most = Math.max(film.n, film.n_k);
    this.small = most > 8;
    this.node.classList.toggle("tw-small", this.small);
    this.node.classList.toggle("tw-middle", !this.small && most > 4);
    this.tiles = frames.filter(({ step }) => step?.phase === "s");
    const outline = (style) => el("div", { class: style, hidden: true });
    this.held = outline("tw-tile");
    this.bands = {};
    for (const name of Object.keys(film.hbm)) this.bands[name] = outline("tw-held");
    this.grid.append(this.held, ...Object.values(this.bands));
    for (const name of ["s", ...RESULT[film.pass]]) this.all[name].table.tabIndex = 0;
  }

  draw(frame) {
    const { film } = this;
    for (const name of Object.keys(film.hbm))
      if (name !== "s" && name !== "p") this.matrix(this.all[name], name, frame);
    this.scores(this.all.s, frame);
  }

  // Where each matrix has its rows and columns, in pixels. Outlines lie over the grid and are
  // moved by it: to move them in the grid would lay out all its cells again, for each frame.
  measure() {
    for (const one of this.grid.getAnimations({ subtree: true })) one.finish(); // a cell in flight
    const { left, top } = this.grid.getBoundingClientRect();
    for (const made of new Set(Object.values(this.all))) {
      const box = (one) => one.getBoundingClientRect();
      const [first, down] = [made.cells[0].map(box), made.cells.map(([one]) => box(one))];
      const [across, along] = made.turned ? [down, first] : [first, down];
      made.x = across.map((one) => [one.left - left, one.right - left]);
      made.y = along.map((one) => [one.top - top, one.bottom - top]);
    }
  }

  // Outlines the blocks that are on the chip, and the tile of now.
  outline({ step, sram }) {
    const { film } = this;
    const one = (node, made, i, j) => {
      node.hidden = !step || !made.x;
      if (!node.hidden) cover(node, made, i, j);
    };
    for (const name in this.bands) {
      const [made, size] = [this.all[name], blockOf(film, name)];
      const block = [(BY_KEY.test(name) ? step?.j : step?.i) * size, size];
      const parts = made.turned ? [[0, Infinity], block] : [block, [0, Infinity]];
      one(this.bands[name], name in sram ? made : {}, ...parts);
    }
    const [i, j] = [step?.i * film.block_rows, step?.j * film.block_cols];
    one(this.held, this.all.s, [i, film.block_rows], [j, film.block_cols]);
  }

  // On paper sizes are not asked for: there the grid lays its outlines.
  paper(on) {
    for (const { style, paper } of [this.held, ...Object.values(this.bands)])
      [style.gridRow, style.gridColumn] = (on && paper) || ["", ""];
  }

  matrix(made, name, frame) {
    const [now, before] = [frame.hbm[name], frame.slab[name]];
    if (made.same(now, before)) return;
    const spoken = tell("in hbm", { name: plain(this.film, name) });
    made.call(named(this.film, name, null, this.film.exact), spoken);
    made.label.classList.toggle("tw-gone", !now);
    for (const r of range(made.rows))
      for (const c of range(made.cols)) this.one(made, r, c, now, before);
  }

  one(made, r, c, now, before) {
    const x = now?.[r] === undefined ? undefined : list(now[r])[c];
    const fresh = before && x !== undefined && x !== list(before[r] ?? [])[c];
    const size = blockOf(this.film, made.names[0]);
    const cut = r && r % size === 0 ? (made.turned ? " tw-left" : " tw-top") : "";
    const text = x === undefined || this.small ? "" : shown(this.film, x);
    made.set(r, c, text, (x === undefined ? "tw-none" : fresh ? "tw-fresh" : "") + cut);
  }

  // S: what is done, what the mask hides, and the tile of now. Standard attention has it
  // in HBM, and P over it.
  scores(made, { k, hbm, slab }) {
    const { film } = this;
    const { n, n_k, block_rows, block_cols, sees: [low, high] } = film;
    const stands = film.order === "standard";
    const done = this.tiles.filter((one) => one.k <= k);
    if (made.same(done.length, hbm.s, hbm.p, slab.s, slab.p)) return;
    const spoken = tell("map", { all: this.tiles.length, done: done.length });
    const rows = (hbm.p ?? []).filter(Boolean).length;
    const names = [...(rows ? ["p"] : []), ...(rows < n ? ["s"] : [])];
    const units = film.exact && stands;
    made.call(names.map((x) => named(film, x, null, units)).join(tell("comma")), spoken);
    const over = new Set(done.map(({ step }) => `${step.i} ${step.j}`));
    const hidden = (at) => at > (high ?? n_k) || at < (low ?? -n);
    for (const r of range(n))
      for (const c of range(n_k)) {
        const [i, j] = [Math.floor(r / block_rows), Math.floor(c / block_cols)];
        const name = hbm.p?.[r] ? "p" : "s";
        if (stands) this.one(made, r, c, hbm[name], slab[name]);
        else {
          const style = hidden(c - r) ? "tw-hidden" : over.has(`${i} ${j}`) ? "tw-done" : "tw-todo";
          const top = r && !(r % block_rows) ? " tw-top" : "";
          made.set(r, c, "", style + top + (c && !(c % block_cols) ? " tw-left" : ""));
        }
      }
  }
}
const RESULT = { forward: ["o"], backward: ["dq", "dk", "dv"] };
