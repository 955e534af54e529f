// One film of the stepper (tilewise.live.stepper) at one step: sentence, formula, SRAM,
// arrows, HBM. It draws what Python computed, and computes nothing but places.
import { el, svg, number } from "./page.js";
import { tell } from "./stepper_words.js";

export const box = (style, ...children) => el("div", { class: style }, ...children);
export const line = (style, ...children) => el("p", { class: style }, ...children);

const BY_KEY = /^d?[kv]$/;
// Python's dicts come without an order
const entries = (film, named = {}) =>
  film.tensors.flatMap(([x]) => (x in named ? [[x, named[x]]] : []));
const SUBSCRIPT = "₀₁₂₃₄₅₆₇₈₉";
const about = (film, name) => film.tensors.find(([x]) => x === name);
const colour = (film, name) => `tw-in-${about(film, name)[2]}`;

const INNER = "([^{}]*(?:\\{[^{}]*\\}[^{}]*)*)"; // what stands in braces, others within
const UPRIGHT = "(max|rowmax|rowsum|new|d(?=[A-Z]))";
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
const named = (film, name, place, exact) => {
  const index = (_, x) => (place ? `_{${x.replace(/[ij]/g, (y) => place[y] + 1)}}` : "");
  const [, label, , , unit] = about(film, name);
  return label.replace(/_\{(\w+)\}/, index) + (exact && unit ? "/τ" : "");
};
export const plain = (film, name, step) =>
  named(film, name, step).replace(/_\{(\d+)\}/, (_, n) => [...n].map((x) => SUBSCRIPT[x]).join(""));

// The film's frames, one for each position: what is where, and what is new.
export const unroll = (film) => {
  let frame = { sram: {}, hbm: film.hbm, chip: {}, slab: {}, step: null, k: 0 };
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
    frame = { sram, hbm, chip, slab, step, k: frames.length };
    frames.push(frame);
  }
  return frames;
};

const count = (film, name) => (BY_KEY.test(name) ? film.n_k : film.n);
const columns = (film, name) => {
  const size = about(film, name)[3];
  return size === "c" ? Math.min(film.block_cols, film.n_k) : (film[size] ?? 1);
};

// A matrix as a table, a <tbody> for each block. `before` holds the numbers that it had:
// others are new. `held` is the block on the chip, `here` the row of the formula.
const grid = (film, name, label, rows, { before, size, block = size, held, here }) => {
  const list = (row) => (Array.isArray(row) ? row : [row]);
  const cell = (r, c) => {
    const x = rows?.[r] === undefined ? undefined : list(rows[r])[c];
    const fresh = before && x !== undefined && x !== list(before[r])[c];
    const text = x === undefined ? "" : film.exact ? x : number(x);
    return el("td", { class: x === undefined ? "tw-none" : fresh ? "tw-fresh" : null }, text);
  };
  const all = (n, make) => Array.from({ length: n }, (_, x) => make(x));
  const row = (r) =>
    el("tr", r === here && { class: "tw-line" }, all(columns(film, name), (c) => cell(r, c)));
  const body = all(Math.ceil(size / block), (n) =>
    el("tbody", n === held && { class: "tw-held" },
      all(Math.min(block, size - n * block), (r) => row(n * block + r))),
  );
  const style = `tw-cells ${colour(film, name)}${rows ? "" : " tw-gone"}`;
  return el("table", { class: style }, el("caption", null, math(label)), body);
};

const blockOf = (film, name) => (BY_KEY.test(name) ? film.block_cols : film.block_rows);

const chip = (film, frame, row) => {
  const slot = (name) => {
    const rows = frame.sram[name];
    const label = named(film, name, rows && frame.step, film.exact);
    const size = Math.min(blockOf(film, name), count(film, name));
    const here = frame.chip[name] && frame.step.lines ? row : -1;
    return grid(film, name, label, rows, { before: frame.chip[name], size, here });
  };
  return film.slots.map((names) => box("tw-slots", names.map(slot)));
};

const slab = (film, frame) => {
  const one = (name) => {
    const held = name in frame.sram ? frame.step[BY_KEY.test(name) ? "j" : "i"] : -1;
    const size = count(film, name);
    const how = { before: frame.slab[name], size, block: blockOf(film, name), held };
    return grid(film, name, named(film, name, null, film.exact), frame.hbm[name], how);
  };
  return box("tw-slots", entries(film, film.hbm).map(([name]) => one(name)));
};

const memory = (name, ...children) =>
  box(`tw-scroll tw-${name}`, line("tw-where", tell(name)), ...children);

// An arrow as wide as the elements that move, 1.5 pixels each.
const arrow = (film, name, n, place, way) => {
  const half = 0.75 * n + 5;
  const right = 2 * half - 5;
  const points = `5,34 5,13 1,13 ${half},1 ${right + 4},13 ${right},13 ${right},34`;
  const turn = way === "store" ? { transform: `rotate(180 ${half} 17.5)` } : {};
  const shape = svg("polygon", { points, ...turn });
  const size = { width: 2 * half, height: 35, "aria-hidden": "true" };
  const text = el("span", null, math(named(film, name, place)), ` ${n}`);
  const style = `tw-arrow tw-${way} ${colour(film, name)}`;
  return el("span", { class: style }, svg("svg", size, shape), text);
};

const traffic = (film, { step }) => {
  const side = (way, all) => {
    const moved = entries(film, step?.[way]);
    const now = moved.reduce((sum, [, n]) => sum + n, 0);
    const arrows = moved.map(([name, n]) => arrow(film, name, n, step, way));
    const text = tell(way === "load" ? "in" : "out", { now, all });
    return box("tw-way", box("tw-arrows", arrows), el("p", null, text));
  };
  const counts = [side("load", step?.loaded ?? 0), side("store", step?.stored ?? film.first)];
  return box("tw-moves", counts);
};

// The tiles of S in small: done, now, hidden by the mask.
const map = (film, frame, frames) => {
  const size = Math.min(15, 64 / Math.max(film.n, film.n_k));
  const tiles = frames.filter(({ step }) => step?.phase === "store");
  const done = tiles.filter(({ k }) => k <= frame.k);
  const shapes = [];
  const rect = (x, y, w, h, style) => {
    const place = { x: x * size + 1, y: y * size + 1, width: w * size, height: h * size };
    shapes.push(svg("rect", { ...place, class: style }));
  };
  const tile = ({ i, j }, style) => {
    const [x, y] = [j * film.block_cols, i * film.block_rows];
    const w = Math.min(film.block_cols, film.n_k - x);
    rect(x, y, w, Math.min(film.block_rows, film.n - y), style);
  };
  tiles.forEach(({ step }) => tile(step, "tw-todo"));
  done.forEach(({ step }) => tile(step, "tw-done"));
  for (let r = 0; film.shift !== null && r < film.n; r++) {
    const seen = Math.max(0, Math.min(film.n_k, r + film.shift + 1));
    if (seen < film.n_k) rect(seen, r, film.n_k - seen, 1, "tw-hidden");
  }
  if (frame.step) tile(frame.step, "tw-now");
  const label = tell("map", { all: tiles.length, done: done.length });
  const [w, h] = [film.n_k, film.n].map((x) => x * size + 2);
  const about = { width: w, height: h, role: "img", "aria-label": label };
  return svg("svg", { class: "tw-map", ...about }, shapes);
};

// What happens in a step, as words: {what: "load Q₁, …", whole: "Step 9 of 28, …"}.
export const sentence = (film, { step, k }) => {
  const list = (names) => names.map((x) => plain(film, x, step)).join(tell("comma"));
  if (!step) {
    const there = entries(film, film.hbm).filter(([, x]) => x);
    const names = there.map(([x]) => named(film, x)).join(tell("comma"));
    const more = film.first ? tell("zeros", { n: film.first }) : "";
    return { what: "", whole: tell("first", { names }) + more };
  }
  let what;
  const moved = entries(film, step.load ?? step.store);
  const args = { names: list(moved.map(([x]) => x)), n: moved.reduce((sum, [, n]) => sum + n, 0) };
  if (step.phase === "store") {
    const stay = film.pass === "forward" ? ["o", "l", "m"] : [];
    what = step.store ? tell("store", args) : tell("stay", { names: list(stay) });
  } else if (step.phase === "kv" || step.phase === "q") {
    const begin = list(entries(film, step.put).flatMap(([x]) => (step.load?.[x] ? [] : [x])));
    const kept = list(step.phase === "kv" ? ["k", "v"] : ["q"]);
    what = step.load ? tell("load", args) : tell("kept", { names: kept });
    if (step.load && begin) what += tell("also", { names: begin });
  } else what = tell(step.phase);
  const place = { k, all: film.steps.length, i: step.i + 1, j: step.j + 1 };
  return { what, whole: tell("step", { ...place, what }) + tell("stop") };
};

const source = (film, phase) => {
  if (!film.source) return null;
  const [a, { [phase]: l }] = film.source;
  return line("tw-note", tell(l.includes(",") ? "lines" : "line", { a, l }));
};

// The formula of the step, and the same with the numbers of one row.
const formula = (film, { step }, row, choose) => {
  if (!step?.lines) return null;
  const keys = step.phase === "dk" || step.phase === "dv";
  const first = (keys ? step.j * film.block_cols : step.i * film.block_rows) + 1;
  const at = Math.min(row, step.lines.length - 1);
  const button = (_, r) =>
    el("button", {
      type: "button", class: "tw-button", "aria-pressed": String(r === at), "data-row": r,
      "aria-label": `${tell(keys ? "key" : "row")} ${first + r}`,
      onclick: () => choose(r),
    }, String(first + r));
  const rows = [tell(keys ? "key" : "row"), ...step.lines.map(button)];
  return [
    box("tw-general", film.general[step.phase].map((x) => el("p", null, math(x)))),
    box("tw-rows", rows),
    box("tw-numbers", step.lines[at].map((x) => el("p", null, math(x)))),
  ];
};

// The whole panel at one frame; `row` is the row whose numbers the formula shows.
export const panel = (film, frames, k, row, choose, title) => {
  const frame = frames[k];
  const { whole } = sentence(film, frame);
  const lines = ({ lines, phase }) => (lines?.[0].length ?? 0) + (film.general[phase]?.length ?? 0);
  const head = el("div", { class: "tw-head" },
    el("div", null,
      title && line("tw-order", `${tell(film.order)} · ${title}`),
      line("tw-sentence", whole),
      frame.step && source(film, frame.step.phase)),
    map(film, frame, frames),
  );
  const picture = el("div", { class: "tw-picture" },
    memory("chip", ...chip(film, frame, row)),
    traffic(film, frame),
    memory("hbm", slab(film, frame)),
  );
  const below = box("tw-formula", ...(formula(film, frame, row, choose) ?? []));
  below.style.setProperty("--tw-lines", Math.max(...film.steps.map(lines)));
  return box("tw-panel", head, picture, below);
};
