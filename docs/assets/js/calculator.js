// <tw-calculator>: what an attention layer costs on a card. Python counts, writes the
// texts and places the marks (tilewise.live.calculator); the fields stand in the page. Here
// are their messages, the state in the address, a slider and lists that fill them.
import { debounce, el, lang, load, problem, say, svg } from "./page.js";
import { ask } from "./runtime.js";

const OWN = { sram: "gpu", bandwidth: "gpu", tflops: "gpu", memory: "gpu",
  block_rows: "tiles", block_cols: "tiles" }; // there when that choice is "own"

let words; // of the form, in the page's language
const grow = ([tag, attributes, ...rest], make = el) => {
  const maker = tag === "svg" ? svg : make;
  const inside = rest.map((x) => (typeof x === "string" ? x : grow(x, maker)));
  return maker(tag, attributes, ...inside);
};

class Calculator extends HTMLElement {
  async connectedCallback() {
    if (this.fields) return;
    this.fields = {};
    this.turn = 0;
    const form = this.querySelector(".tw-form");
    const { input: usual, say: texts, ...there } = await load(`live/calculator-${lang}.json`);
    words = { [lang]: texts };
    this.usual = usual;
    const soon = debounce(() => this.compute());
    for (const input of form.querySelectorAll("[name]")) {
      const { name, parentElement: cell, nextElementSibling: wrong } = input;
      this.fields[name] = { input, wrong, cell };
      input.addEventListener("input", () => (this.reveal(), soon()));
    }
    form.querySelector("button").addEventListener("click", () =>
      (this.fill(usual), this.compute()));
    form.inert = false;
    this.said = this.querySelector(".tw-said");
    this.said.role = "status";
    this.slider = form.querySelector("[type=range]");
    this.slider.addEventListener("input", () => {
      this.fields.n.input.value = 2 ** this.slider.value;
      soon();
    });
    this.lists = [...form.querySelectorAll("select:not([name])")];
    for (const list of this.lists)
      list.addEventListener("change", () => {
        for (const [key, text] of new URLSearchParams(list.value))
          this.fields[key].input.value = text;
        this.reveal();
        this.compute();
      });
    this.show(there);
    this.fill({ ...usual, ...this.address() });
    this.follow();
    if (this.changes().size) this.compute();
  }

  // What the address says of the fields: text, which Python checks like any other.
  address() {
    const given = [...new URLSearchParams(location.search)].filter(([key]) => this.fields[key]);
    return Object.fromEntries(given.map(([key, text]) => [key, text.slice(0, 100)]));
  }

  changes() {
    const all = Object.entries(this.values());
    return new URLSearchParams(all.filter(([key, text]) => text !== this.usual[key]));
  }

  values() {
    const all = Object.entries(this.fields);
    return Object.fromEntries(all.map(([key, { input }]) => [key, input.value]));
  }

  fill(values) {
    for (const [key, { input }] of Object.entries(this.fields)) {
      const known = !input.options || [...input.options].some((x) => x.value === values[key]);
      input.value = known ? values[key] : this.usual[key];
    }
    this.reveal();
  }

  // Fields of one's own appear with what the card, or the rule, had until then.
  reveal() {
    const { card, tile } = this.made;
    const now = { ...card, block_rows: tile.rows, block_cols: tile.cols };
    for (const [key, by] of Object.entries(OWN)) {
      const { input, cell } = this.fields[key];
      const hidden = this.fields[by].input.value !== "own";
      if (hidden) input.value = "";
      else if (cell.hidden && !input.value) input.value = now[key];
      cell.hidden = hidden;
    }
  }

  // The slider and the lists say what the fields say.
  follow() {
    const now = this.values();
    const at = Math.log2(now.n);
    if (at >= 0) this.slider.value = at; // else where it was
    for (const list of this.lists) {
      const same = ({ value }) => value &&
        [...new URLSearchParams(value)].every(([key, text]) => now[key] === text);
      list.value = [...list.options].find(same)?.value ?? "";
    }
  }

  async compute() {
    const turn = ++this.turn;
    this.follow();
    const query = this.changes().toString().slice(0, 2000);
    history.replaceState(null, "", (query ? `?${query}` : location.pathname) + location.hash);
    this.ariaBusy = true;
    try {
      const made = await ask("calculator view", { ...this.values(), lang });
      if (turn !== this.turn) return;
      this.mark({});
      this.show(made);
    } catch (error) {
      if (!error.problem) throw error;
      if (turn === this.turn) this.mark(error.problem);
    } finally {
      if (turn === this.turn) this.ariaBusy = false;
    }
  }

  // A problem is said at its field; without one, where the answer stood.
  mark(found) {
    const own = words[lang][found.code] && say(words, found.code, found);
    const text = found.code ? own || problem(found) : "";
    for (const [key, { input, wrong }] of Object.entries(this.fields)) {
      const here = key === found.field;
      wrong.textContent = here ? text : "";
      input.ariaInvalid = here || null;
    }
    if (text) this.said.textContent = `${found.field ? "" : `${text} `}${words[lang].stale}`;
  }

  // A result of Python; the first one stands in the page already and has no tree.
  show(made) {
    this.made = made;
    const open = this.querySelector("details").open;
    if (made.tree) {
      this.said.replaceChildren(...made.said.split(/(FlashAttention-\d)/).map((x, i) =>
        i % 2 ? el("span", { class: "tw-keep" }, x) : x)); // unbroken
      this.said.nextElementSibling.replaceWith(grow(made.tree));
    }
    this.querySelector("details").open = open;
    const plot = this.querySelector(".tw-chart");
    const drawn = plot.querySelector("svg");
    drawn.addEventListener("pointermove", (event) => this.read(this.nearest(event)));
    drawn.addEventListener("pointerleave", () => this.read(made.chart.here));
    drawn.addEventListener("click", (event) => {
      const n = made.chart.n[this.nearest(event)];
      this.fields.n.input.value = n.replace(/\D/g, "");
      this.compute();
    });
    const roof = this.querySelector(".tw-roof"); // an svg that listens would take the focus
    const tell = ({ target }) => {
      const text = target.closest(".tw-place")?.getAttribute("aria-label");
      if (text) roof.lastElementChild.textContent = text;
    };
    roof.addEventListener("pointerover", tell);
    roof.addEventListener("focusin", tell);
    const all = this.read(made.chart.here);
    this.slider.ariaValueText = all.join("; ");
  }

  // The place of the N nearest to the pointer.
  nearest({ clientX, currentTarget }) {
    const { left, width } = currentTarget.getBoundingClientRect();
    const x = ((clientX - left) / width) * currentTarget.viewBox.baseVal.width;
    const gaps = this.made.chart.x.map((place) => Math.abs(place - x));
    return gaps.indexOf(Math.min(...gaps));
  }

  // Move the marks to an N, and say what they show.
  read(at) {
    const { x, y, n, read } = this.made.chart;
    const plot = this.querySelector(".tw-chart");
    plot.querySelector(".tw-cursor").setAttribute("transform", `translate(${x[at]} 0)`);
    plot.querySelectorAll(":scope > svg > .tw-spot").forEach((mark, line) =>
      mark.setAttribute("transform", `translate(${x[at]} ${y[line][at]})`));
    plot.querySelector(".tw-at").textContent = n[at];
    const lines = [...plot.querySelectorAll("li")];
    lines.forEach((line, place) => { line.lastChild.textContent = read[at][place]; });
    return [n[at], ...lines.map((line) => line.textContent)];
  }
}
customElements.define("tw-calculator", Calculator);
