// Plays the trace, tile by tile, in <tw-stepper data-pass="forward" data-order="kv-outer">.
// The example's films are committed files; every other film is Python's, in the worker.
import { announce, button, debounce, el, lang, load, problem } from "./page.js";
import { box, line, spelled, unroll } from "./stepper_film.js";
import { Panel, pointing, sentence, title } from "./stepper_panel.js";
import { tell, words } from "./stepper_words.js";

const ORDERS = ["kv-outer", "q-outer"];
const CHOICES = { forward: ["standard", ...ORDERS, "both"], backward: [...ORDERS, "both"] };
const EXAMPLE = {
  q: "-1 -1\n1 0\n0 1\n1 1",
  k: "1 0\n0 1\n0 2\n-1 1",
  v: "0 9\n9 9\n-9 0\n9 0",
  do: "1 0\n0 1\n1 1\n1 0",
};
const READY = /forward|backward-kv-outer/; // its films
// Their names, in the address too, where the theme's search has taken q.
const FIELDS = { n: "N", block_rows: "B_r", block_cols: "B_c", q: "Q", k: "K", v: "V", do: "dO" };
const READS = new Set(["order", "pass"]); // what the names of films say
const LONGEST = 2000; // characters of a field, before Python looks at it

const named = (key, onclick, more) => button(spelled(tell(key)), onclick, more);
const folded = (key, ...children) =>
  el("details", null, el("summary", null, tell(key)), ...children);

export class Player {
  constructor(host) {
    this.host = host;
    this.usual = { ...EXAMPLE, pass: host.dataset.pass, order: host.dataset.order ?? "q-outer" };
    Object.assign(this.usual, { block_rows: "2", block_cols: "2", causal: "no", scale: "ln 2" });
    Object.assign(this.usual, { n: "", softcap: "", sink: "" });
    [this.k, this.row, this.asked, this.fields, this.changes] = [0, 0, 0, {}, {}];
    this.remember = debounce(() => this.write(), 200); // browsers count changes of the address
    this.build();
    this.arrive();
  }

  build() {
    const about = { tabindex: 0, role: "group", "aria-label": tell("about") };
    this.stage = el("div", { class: "tw-stage", ...about });
    this.back = named("back", () => this.go(this.k - 1, true));
    this.next = named("next", () => this.go(this.k + 1, true));
    this.start = named("play", () => this.play(!this.timer));
    const bar = { type: "range", class: "tw-seek", min: 0, value: 0, "aria-label": tell("bar") };
    this.bar = el("input", { ...bar, oninput: () => this.go(Number(this.bar.value)) });
    const times = (x) => el("option", { value: x, selected: x === 1 }, `${x}×`);
    this.speed = el("select", { class: "tw-select" }, [0.5, 1, 2, 4].map(times));
    this.speed.onchange = () => this.timer && this.play(true);
    const speed = el("label", { class: "tw-label" }, tell("speed"), this.speed);
    const controls = [this.back, this.next, this.start, box("tw-rail", this.bar), speed];
    this.wrong = el("p", { class: "tw-problem", role: "status" });
    const table = folded("table", ...this.host.childNodes);
    const player = box("tw-controls tw-player", controls);
    const settings = this.settings();
    this.host.replaceChildren(this.methods, this.stage, player, ...settings, table);
    this.host.classList.add("tw-on");
    this.host.addEventListener("keydown", (event) => this.key(event));
    this.walk = pointing(this.stage, () => this.panels ?? []);
    for (const on of [true, false]) {
      const paper = () => this.panels?.forEach((one) => one.floor.paper(on));
      addEventListener(on ? "beforeprint" : "afterprint", paper);
    }
  }

  // The methods, one pressed; in the backward pass they are two orders.
  choices() {
    const one = (order) => {
      const pressed = String(order === this.chosen.order);
      const name = this.chosen.pass === "forward" && order !== "both" ? `${order} short` : order;
      const how = { "aria-pressed": pressed, "data-order": order };
      return named(name, () => this.apply({ order }), how);
    };
    const focused = this.methods.contains(document.activeElement);
    const told = this.films.length === 1 && this.chosen.pass === "forward";
    const said = el("span", null, told ? spelled(title(this.films[0])) : "");
    this.methods.replaceChildren(...CHOICES[this.chosen.pass].map(one), said);
    if (focused) this.methods.querySelector("[aria-pressed=true]").focus();
  }

  settings() {
    this.methods = box("tw-controls tw-methods");
    Object.assign(this.methods, { role: "group", ariaLabel: tell("order") });
    const field = (key, tag, attributes, ...children) => {
      const node = el(tag, attributes, ...children);
      if (tag !== "textarea") node.onchange = () => this.apply({ [key]: node.value });
      this.fields[key] = node;
      const label = el("span", null, spelled(FIELDS[key] ?? tell(key)));
      return el("label", { class: "tw-label" }, label, node);
    };
    const choice = (key, ...values) => {
      const options = values.map((x) => el("option", { value: x }, tell(x)));
      return field(key, "select", { class: "tw-select" }, options);
    };
    const typed = (key, size) => field(key, "input", { class: "tw-field", size, maxlength: 40 });
    const matrix = (key) =>
      field(key, "textarea", { class: "tw-field tw-own", rows: 4, spellcheck: "false" });
    const first = box("tw-controls", typed("n", 2), typed("block_rows", 1), typed("block_cols", 1),
      choice("causal", "no", "bottom-right", "top-left", "window"),
      typed("softcap", 3), typed("sink", 3), choice("pass", "forward", "backward"));
    const own = folded("own",
      line("tw-note", tell("own hint")),
      box("tw-controls", Object.keys(EXAMPLE).map(matrix)),
      box("tw-controls", typed("scale", 7),
        el("span", { class: "tw-note" }, spelled(tell("scale hint")))),
      box("tw-controls",
        named("use", () => this.apply({ n: "" })), named("reset", () => this.reset())));
    return [first, this.wrong, own];
  }

  // The address first; where it asks for what is not there, the example.
  async arrive() {
    const query = new URLSearchParams(location.search);
    const wanted = { ...this.usual };
    for (const key in wanted) wanted[key] = query.get(FIELDS[key] ?? key) ?? wanted[key];
    const fit = CHOICES[wanted.pass]?.includes(wanted.order);
    let why = fit ? await this.show(wanted) : tell("no such");
    if (why !== null) await this.show({ ...this.usual });
    const step = query.get("step") ?? "0";
    if (why === null && /^\d{1,4}$/.test(step) && step <= this.last) this.go(Number(step));
    else why ??= tell("no step");
    if (why !== null) this.wrong.textContent = tell("address", { why });
    this.fill();
    this.ready = true;
  }

  async reset() {
    await this.show({ ...this.usual });
    this.fill();
    this.remember();
  }

  // What the fields say, with what was changed since a film was shown: Python may still be
  // loading. N is no more than a way to fill the matrices: it is asked for when it is changed.
  async apply(changed) {
    const wanted = { order: this.chosen.order };
    for (const key in this.fields) wanted[key] = this.fields[key].value;
    Object.assign(wanted, { n: "" }, Object.assign(this.changes, changed));
    if (wanted.pass === "backward" && wanted.order === "standard") wanted.order = "kv-outer";
    if ((await this.show(wanted)) !== null) return;
    if (wanted.n) this.fill();
    this.remember();
  }

  // Shows the films of what is wanted; null, or a sentence that says why not.
  async show(wanted) {
    const number = ++this.asked;
    this.wrong.textContent = "";
    for (const key in this.fields) this.fields[key].ariaInvalid = null;
    this.stage.ariaBusy = true;
    try {
      const orders = wanted.order === "both" ? ORDERS : [wanted.order];
      const films = await Promise.all(orders.map((order) => this.film({ ...wanted, order })));
      if (number !== this.asked) return "";
      const { inputs } = films[0];
      for (const key in inputs) wanted[key] = inputs[key].map((row) => row.join(" ")).join("\n");
      this.chosen = { ...wanted, n: "" };
      this.films = films;
      this.panels = films.map((film) => new Panel(film, unroll(film), (row) => this.choose(row)));
      this.stage.classList.toggle("tw-two", films.length > 1);
      this.stage.replaceChildren(...this.panels.map((x) => x.node));
      this.choices();
      this.size();
      const over = this.k && this.k === this.last; // a film's end stays an end
      this.bar.max = this.last = films[0].steps.length;
      this.play(false);
      this.go(over ? this.last : this.k);
      return null;
    } catch (error) {
      if (!error.problem) throw error;
      return number === this.asked ? this.complain(error.problem) : "";
    } finally {
      if (number === this.asked) [this.stage.ariaBusy, this.changes] = [null, {}];
    }
  }

  async film(wanted) {
    const name = `stepper-${wanted.pass}-${wanted.order}`;
    const same = Object.keys(wanted).every((x) => READS.has(x) || wanted[x] === this.usual[x]);
    if (same && READY.test(name)) return load(`live/${name}.json`);
    for (const field in wanted)
      if (wanted[field].length > LONGEST) {
        const problem = { code: "too-long", field, most: LONGEST };
        throw Object.assign(new Error(), { problem });
      }
    const { ask } = await import("./runtime.js"); // only who asks something else needs it
    return ask("stepper", wanted);
  }

  complain(found) {
    const name = (key) => FIELDS[key] ?? words[lang][key];
    const [field, other] = [name(found.field), name(found.other)];
    const text = /^(rows|cols)$/.test(found.code)
      ? tell(found.code, { ...found, field, other })
      : problem(found, { [found.field]: field });
    Object.assign(this.fields[found.field] ?? {}, { ariaInvalid: true });
    return (this.wrong.textContent = text);
  }

  // The fields say what is shown; not after each change, for the reader types on.
  fill() {
    for (const key in this.fields)
      this.fields[key].value = this.chosen[key].replace(/\s*;\s*/g, "\n").replace(/,/g, " ");
    this.size();
  }

  // N, if there are as many queries as keys; and whose gradient is asked for.
  size() {
    const [{ n, n_k, pass }] = this.films;
    this.fields.n.value = n === n_k ? n : "";
    this.fields.do.parentNode.hidden = pass === "forward";
  }

  go(k, aloud) {
    const moving = aloud && k === this.k + 1;
    this.k = Math.max(0, Math.min(this.last, k));
    const [{ film, frames }] = this.panels;
    const { whole } = sentence(film, frames[this.k]);
    this.bar.value = this.k;
    this.bar.ariaValueText = whole;
    this.back.ariaDisabled = this.k === 0; // disabled would lose the focus
    this.next.ariaDisabled = this.k === this.last;
    this.stage.classList.toggle("tw-quiet", !aloud); // dragged: each frame is another step
    this.draw(moving);
    if (aloud) announce(whole);
    if (this.ready && !this.timer) this.remember();
  }

  draw(moving) {
    const within = this.stage.contains(document.activeElement);
    for (const one of this.panels) one.draw(this.k, this.row, moving);
    const { activeElement } = document;
    if (within && (!this.stage.contains(activeElement) || activeElement.closest("[hidden]")))
      this.stage.focus({ preventScroll: true }); // what had the focus is gone
  }

  choose(row) {
    this.row = row;
    this.draw();
    this.stage.querySelector(`[data-row="${row}"]`).focus();
  }

  play(on) {
    clearInterval(this.timer);
    if (this.timer && !on && this.ready) this.remember();
    this.timer = null;
    if (on && this.k === this.last) this.go(0);
    if (on) this.timer = setInterval(() => this.tick(), 1400 / this.speed.value);
    this.start.textContent = tell(on ? "pause" : "play");
  }

  tick() {
    this.go(this.k + 1, true);
    if (this.k === this.last) this.play(false);
  }

  key(event) {
    const { type, localName } = event.target;
    if (/select|textarea/.test(localName) || type === "text") return;
    if (type === "range" && event.key !== " ") return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { key, target } = event;
    const move = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const up = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (move) this.go(this.k + move, true);
    else if (up && target.localName === "table") this.walk(target, up);
    else if (key === " " && !target.closest("button, summary")) this.play(!this.timer);
    else return;
    event.preventDefault();
  }

  // The address says what is shown, so that a link shows it again.
  write() {
    const url = new URL(location);
    const state = { ...this.chosen, step: String(this.k) };
    for (const key in state) {
      const row = (text) => text.trim().replace(/[\s,]+/g, ",");
      const matrix = key in EXAMPLE;
      const text = matrix ? state[key].trim().split(/\s*[\n;]\s*/).map(row).join(";") : state[key];
      url.searchParams.set(FIELDS[key] ?? key, text);
      if (state[key] === (this.usual[key] ?? "0")) url.searchParams.delete(FIELDS[key] ?? key);
    }
    url.search = url.search.replaceAll("%2C", ",").replaceAll("%3B", ";");
    if (url.search) url.hash ||= this.host.id;
    history.replaceState(history.state, "", url);
  }
}
