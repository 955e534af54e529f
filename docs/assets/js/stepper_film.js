// A film of the tile machine (tilewise.live.stepper): its frames, and how its tensors are
// called and shaped. Every number in it is Python's.
import { el, number } from "./page.js";

export const BY_KEY = /^d?[kv]$/;
// Python's dicts come without an order
export const entries = (film, named = {}) =>
  film.tensors.flatMap(([x]) => (x in named ? [[x, named[x]]] : []));
const SUBSCRIPT = "₀₁₂₃₄₅₆₇₈₉";
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
export const plain = (film, name, step) =>
  named(film, name, step).replace(/_\{(\d+)\}/, (_, n) => [...n].map((x) => SUBSCRIPT[x]).join(""));
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
