// What a step looks like while it happens: blocks rise and sink, a tile is computed, flows
// on and evaporates. Only transform and opacity change, so nothing is laid out again.
import { BY_KEY, colour } from "./stepper_film.js";
import { el } from "./page.js";

const LONG = 300; // milliseconds
const FLOW = { // phase: from what to what
  s: [["q", "s"], ["k", "s"]], o: [["s", "o"], ["v", "o"]], pv: [["s", "o"], ["v", "o"]],
  dp: [["do", "dp"], ["v", "dp"]], dv: [["p", "dv"], ["do", "dv"]], ds: [["delta", "ds"]],
  dq: [["ds", "dq"], ["k", "dq"]], dk: [["ds", "dk"], ["q", "dk"]],
};
const TILES = ["s", "dp", "p"]; // what leaves no trace
const still = matchMedia("(prefers-reduced-motion: reduce)");
const box = (one) => one.getBoundingClientRect();

export const travel = ({ film, chip, floor, picture }, { step }) => {
  if (still.matches) return;
  picture.dataset.way = step.store ? "store" : "load"; // which board is on top
  const plays = [];
  const play = (one, frames, more) =>
    plays.push(() => one.animate(frames, { duration: LONG, easing: "ease-out", ...more }));

  // the cells of a block, from where it was
  const fly = (from, to) => {
    const [a, b] = [box(from), box(to[0])];
    const transform = `translate(${a.left - b.left}px, ${a.top - b.top}px)`;
    const frames = [{ transform, opacity: 0.5 }, { transform: "none", opacity: 1 }];
    for (const one of to) play(one, frames);
  };
  const block = (name) => floor.all[name].block(BY_KEY.test(name) ? step.j : step.i);
  for (const name in step.load) fly(block(name)[0], chip.all[name].cells.flat());
  for (const name in step.store) fly(chip.all[name].cells[0][0], block(name));

  // a breath of a matrix, as wide and high as that is, to another place
  const ghost = (name, to) => {
    const [a, b, all] = [box(chip.all[name].table), to && box(chip.all[to].table), box(picture)];
    const one = el("div", { class: `tw-ghostly ${colour(film, name)}` });
    const { left, top, width, height } = a;
    const size = { left: left - all.left, top: top - all.top, width, height };
    for (const key in size) one.style[key] = `${size[key]}px`;
    const [x, y] = b ? [b.left - a.left, b.top - a.top] : [0, -18];
    const scale = b ? `scale(${b.width / a.width}, ${b.height / a.height})` : "scale(1.1)";
    plays.push(() => {
      picture.append(one);
      const transform = `translate(${x}px, ${y}px) ${scale}`;
      const frames = [{ opacity: 0.7 }, { transform, opacity: 0 }];
      one.animate(frames, { duration: LONG, easing: "ease-in" }).onfinish = () => one.remove();
    });
  };
  for (const [from, to] of FLOW[step.phase] ?? []) ghost(from, to);
  for (const name of TILES) if (step.drop?.includes(name)) ghost(name);

  // the scores, cell by cell
  const cells = step.phase === "s" ? chip.all.s.cells.flat() : [];
  cells.forEach((one, n) => play(one, [{ opacity: 0 }, { opacity: 1 }],
    { delay: (n * LONG) / cells.length, fill: "backwards" }));
  for (const start of plays) start(); // all has been measured: what moves is not
};
