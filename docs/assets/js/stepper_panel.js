// One film of the tile machine at one step: its boards, the sentence, what moves, three
// bars of what has moved, the formula. It draws what Python computed.
import { announce, el } from "./page.js";
import { Chip, Floor } from "./stepper_board.js";
import {
  BY_KEY, Formula, Way, about, box, colour, entries, line, longest, math, named, over, painted,
  plain, shown, spelled, write,
} from "./stepper_film.js";
import { travel } from "./stepper_motion.js";
import { tell } from "./stepper_words.js";

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
  } else what = tell(film.order === "standard" && step.phase === "s" ? "s rows" : step.phase);
  const place = { k, all: film.steps.length, i: step.i + 1, j: step.j + 1 };
  const how = film.order !== "standard" ? "step" : step.phase === "kv" ? "step all" : "step rows";
  return { what, whole: tell(how, { ...place, what }) + tell("stop") };
};

export const title = ({ pass, order }) => tell(pass === "forward" ? `${order} long` : order);

const source = (film, phase) => {
  const [a, { [phase]: l } = {}] = film.source ?? [];
  return l ? tell(l.includes(",") ? "lines" : "line", { a, l }) : "";
};

const METHODS = ["standard", "kv-outer", "q-outer"];

// What each method moves in all, as bars to one scale with a part for each tensor. The
// bar of the film on show fills as it plays.
class Bars {
  constructor(film) {
    this.film = film;
    const most = Math.max(...METHODS.map((x) => film.counts[x].all));
    this.node = box("tw-bars", METHODS.map((x) => this.row(x, film.counts[x], most)));
  }

  row(method, { all, parts }, most) {
    const { film } = this;
    const mine = method === film.order;
    const part = ([name, n]) => {
      const fill = mine && el("i");
      if (mine) (this.fills ??= []).push([name, n, fill]);
      const symbol = about(film, name)[1].replace(/_.*/, "");
      const letter = n > 0.07 * most * symbol.length && el("b", null, math(symbol));
      const made = el("span", { class: `tw-part ${colour(film, name)}` }, fill, letter);
      made.style.flexGrow = n;
      return made;
    };
    const bar = box("tw-bar-all", parts.map(part));
    bar.style.width = `${(100 * all) / most}%`;
    if (mine) this.sum = new Text();
    const sum = mine && el("b", null, this.sum);
    const said = mine
      ? over("tw-sum", `${all} / ${all}`, sum, ` / ${all}`)
      : el("span", { class: "tw-sum" }, String(all));
    const name = tell(film.pass === "forward" ? `${method} short` : method);
    return box(mine ? "tw-rival tw-mine" : "tw-rival",
      el("span", null, name), el("div", { "aria-hidden": "true" }, bar), said);
  }

  draw({ step, moved }) {
    const now = step ? step.loaded + step.stored : this.film.first;
    for (const one of this.fills) {
      const [name, n, fill, seen] = one;
      if (moved[name] !== seen) fill.style.transform = `scaleX(${(one[3] = moved[name]) / n})`;
    }
    write(this.sum, String(now));
  }
}

// How full the chip is, against the most that this film ever needs there.
const room = (film) => {
  const fill = el("i");
  const said = new Text();
  const widest = tell("held", { held: film.room, room: film.room });
  const bar = el("div", { class: "tw-fill", "aria-hidden": "true" }, fill);
  const draw = ({ step }) => {
    const held = step?.held ?? 0;
    write(said, tell("held", { held, room: film.room }));
    fill.style.transform = `scaleX(${held / film.room})`;
  };
  return { node: box("tw-room-of", over("tw-held-of", widest, said), bar), draw };
};

const end = (text) => text.slice(text.lastIndexOf(" = "));

// The lines of a step, with the numbers of row r, that are about a cell in column c.
const aboutCell = (film, { phase, j, lines }, name, r, c) => {
  const of = lines[r] ?? [];
  const column = c - j * film.block_cols;
  const here = name === "s" && column >= 0 && column < film.block_cols;
  const at = { s: 0, p: 0, tile: 1, softmax: 2 }[phase];
  if (here && at !== undefined) return [of[at + column]];
  if (name === "o" && phase === "merge") return [`α${end(of[1])},  β${end(of[2])}`];
  if (name === "o" && phase === "o") return [of[2 * c + 1].replace(/ = .* = /, " = ")];
  if (name === "s") return []; // of another tile
  return name === phase || (name === "o" && phase === "pv") ? [of[c]] : [];
};

// Where the number of a cell comes from: the sum of a score, the rounds of an output or a
// gradient; of a number that was there before, the number.
const explain = (film, frames, k, [made, r, c]) => {
  const [name] = made.names;
  const keys = BY_KEY.test(name);
  const size = keys ? film.block_cols : film.block_rows;
  const rounds = [];
  let first;
  for (const { step, k: at } of frames) {
    if (!step?.lines || Math.floor(r / size) !== (keys ? step.j : step.i)) continue;
    const found = aboutCell(film, step, name, r % size, c).filter(Boolean);
    if (found.length) first ??= at;
    if (at > k) continue;
    if (step.phase === "merge") rounds.push(...found); // until its output comes
    else if (step.phase === "o" && found.length)
      rounds.push([math(`j = ${step.j + 1}:  ${rounds.pop()},  `), painted(found[0], "o")]);
    else rounds.push(...found.map((x) => painted(x, step.phase)));
  }
  if (rounds.length) return rounds.filter((x) => typeof x !== "string");
  if (first) return [tell("later", { k: first })];
  const value = [frames[k].hbm[name]?.[r]].flat()[c];
  const index = made.cols > 1 || made.table.rows.length < made.rows ? `${r + 1}${c + 1}` : r + 1;
  const title = named(film, name, null, film.exact).replace(/(?=\/τ)|$/, `_{${index}}`);
  return value === undefined || value === null ? [] : [math(`${title} = ${shown(film, value)}`)];
};

// The whole panel of a film; choose(row) says which row's numbers the formula shows.
export class Panel {
  constructor(film, frames, choose) {
    Object.assign(this, { film, frames });
    film.largest = Math.max(...film.steps.flatMap((x) => Object.values(x.load ?? x.store ?? {})));
    [this.chip, this.floor] = [new Chip(film), new Floor(film, frames)];
    [this.said, this.note] = [line("tw-sentence"), new Text()];
    [this.bars, this.room] = [new Bars(film), room(film)];
    this.ways = ["load", "store"].map((way) => new Way(film, way));
    this.formula = new Formula(film, choose);
    [this.below, this.peek] = [this.formula.node, box("tw-peek")];
    this.peek.hidden = true;
    const { all, why } = film.counts[film.order];
    const rival = film.counts.standard.why;
    const because = tell(`why ${film.pass} ${film.order}`, { why, all, rival });
    const texts = longest(frames.map((x) => sentence(film, x).whole));
    const head = box("tw-head", line("tw-order", spelled(title(film))),
      over("", `${texts}\n.`, this.said, line("tw-note", this.note)));
    const moves = box("tw-moves", this.ways.map(({ node }) => node));
    this.picture = box("tw-picture", this.chip.node, moves, this.floor.node);
    const meters = box("tw-meters", line("tw-note", tell("moved")), this.bars.node,
      line("tw-because", spelled(because)), this.room.node);
    this.node = box("tw-panel", head, this.picture, meters, this.below, this.peek);
    const watch = new ResizeObserver((seen) => {
      const has = (one) => seen.some(({ target }) => target === one);
      requestAnimationFrame(() => this.fit()); // what it changes is seen in its turn
      if (has(this.picture) || has(this.floor.grid)) this.floor.measure();
      this.measure();
    });
    for (const one of [this.picture, this.chip.grid, this.floor.grid]) watch.observe(one);
  }

  draw(k, row, moving) {
    const before = this.frame;
    const frame = (this.frame = this.frames[k]);
    this.node.classList.toggle("tw-at-first", !k); // :has() would be asked in each frame
    const { whole } = sentence(this.film, frame);
    if (whole !== this.told) this.said.replaceChildren(...spelled((this.told = whole)));
    write(this.note, frame.step ? source(this.film, frame.step.phase) : "");
    this.chip.draw(frame, row);
    this.floor.draw(frame);
    for (const one of this.ways) one.draw(frame);
    this.bars.draw(frame);
    this.room.draw(frame);
    this.formula.draw(frame, row);
    if (this.at) this.look(this.at);
    if (!before) this.fit();
    this.settle();
    if (moving && before?.k === k - 1) travel(this, frame);
  }

  // What is wider than its place scrolls.
  fit() {
    for (const { node } of [this.chip, this.floor]) {
      const out = () => node.scrollWidth > node.clientWidth + 1;
      if (out()) node.classList.add("tw-tight"); // and so it stays
      const wide = out();
      node.classList.toggle("tw-scroll", wide);
      const ariaLabel = node.firstChild.textContent;
      if (wide) Object.assign(node, { tabIndex: 0, role: "group", ariaLabel });
      else node.removeAttribute("tabindex");
    }
  }

  // Where the boards lie, asked for only when a size has changed and all is laid out.
  measure() {
    const { chip, floor, picture } = this;
    const { table } = chip.all.s;
    const [above, below] = [chip.node.offsetLeft, floor.node.offsetLeft + floor.grid.offsetLeft];
    this.shift = below - above - table.offsetLeft - table.offsetWidth / 2;
    const { style } = chip.node;
    style.width = "";
    const room = picture.clientWidth - chip.node.offsetWidth - 2 * above;
    this.most = room < 60 ? 0 : room; // a little further would look like a mistake
    if (!this.most) style.width = "100%";
    this.settle();
  }

  // The chip hovers over the tile, which is outlined.
  settle() {
    const { chip, floor } = this;
    floor.outline(this.frame);
    const want = floor.held.hidden ? 0 : floor.held.middle + this.shift;
    chip.node.style.transform = `translateX(${Math.max(0, Math.min(this.most || 0, want))}px)`;
  }

  // Shows where the number of a cell comes from; without one the formula again.
  look(place) {
    this.at = place;
    this.node.querySelector(".tw-at-cell")?.classList.remove("tw-at-cell");
    this.peek.hidden = true;
    this.below.classList.remove("tw-covered");
    if (!place) return "";
    const [made, r, c] = place;
    made.cells[r][c].classList.add("tw-at-cell");
    const lines = this.frame.step || this.chip.all[made.names[0]] !== made
      ? explain(this.film, this.frames, this.frame.k, this.whole(place)) : []; // nothing there yet
    this.peek.hidden = !lines.length;
    this.below.classList.toggle("tw-covered", lines.length > 0);
    this.peek.replaceChildren(...lines.map((x) => el("p", null, ...[x].flat())));
    return this.peek.innerText;
  }

  // A cell of the chip as the cell of the whole matrix.
  whole([made, r, c]) {
    if (this.chip.all[made.names[0]] !== made) return [made, r, c];
    const { step } = this.frame;
    const name = made.names[0];
    const size = BY_KEY.test(name) ? step.j * this.film.block_cols : step.i * this.film.block_rows;
    const there = this.floor.all[name] ?? made;
    return [there, r + size, name === "s" ? c + step.j * this.film.block_cols : c];
  }
}

// Pointing at a number, by mouse, finger or keyboard: the panel says where it comes from.
// Listens on the stage; panels() are those on it. Returns walk(table, by), which moves the
// cursor of a matrix by some cells.
export const pointing = (stage, panels) => {
  const look = (cell, aloud) => {
    for (const one of panels()) {
      const here = cell?.place && one.node.contains(cell);
      const said = one.look(here ? cell.place : null);
      if (here && aloud) announce(said);
    }
  };
  const cursor = (table, by = 0) => {
    const cells = [...table.querySelectorAll("td")];
    table.cursor = Math.max(0, Math.min(cells.length - 1, (table.cursor ?? 0) + by));
    return cells[table.cursor];
  };
  const on = (type, f) => stage.addEventListener(type, ({ target, pointerType }) =>
    f(target, pointerType));
  on("pointerover", (target) => look(target.closest("td")));
  // a finger that is lifted leaves too, but has pointed
  on("pointerleave", (_, by) => by !== "touch" && look(null));
  on("focusin", (target) => target.matches("table:focus-visible") && look(cursor(target)));
  on("focusout", (target) => target.matches("table") && look(null));
  return (table, by) => look(cursor(table, by), true);
};
