// <tw-strip>: a row of scores that the reader changes, read one by one (online softmax)
// or, with data-form="merge", cut in two and merged. What stands in the element, made by
// scripts/elements, is a table, every state of the row, and the words: going along the row
// needs no Python, changing it asks tilewise.live.strip.
import { button, debounce, el, lang, problem, say, spell, svg } from "./page.js";
import { ask } from "./runtime.js";

const TRY = [["1000 1001 999", "e"], ["-1000 -1000", "e"], ["2 -inf 1", "2"]];
let words;
const t = (key, args) => say({ [lang]: words }, key, args);
const state = ({ m, l }) => t("is", { m: m[1], l: l[1] });
const bar = (...parts) => el("div", { class: "tw-controls" }, ...parts);
const label = (key, field) => el("label", { class: "tw-label" }, t(key), field);
const cell = (text, mark, span) => el("td", { class: mark, colspan: span }, text);

class Strip extends HTMLElement {
  connectedCallback() {
    if (this.field) return;
    this.merge = this.dataset.form === "merge";
    this.data = JSON.parse(this.querySelector("script").textContent);
    ({ words } = this.data);
    this.text = this.data.scores.map(([x]) => x).join(" ");
    this.base = "2";
    this.first = { scores: this.text, unit: "2", at: "2" };
    this.rows = [...this.querySelectorAll("tr")];
    this.build();
    const asked = new URLSearchParams(location.search);
    const [scores, unit, at] = Object.entries(this.first).map(([key, x]) => asked.get(key) ?? x);
    this.at = Number(at) || 0;
    this.fill();
    this.field.value = scores;
    this.unit.value = unit === "e" ? unit : "2";
    if (scores !== this.text || unit === "e") this.compute();
  }

  build() {
    const wrong = "tw-wrong";
    this.field = el("input", {
      class: "tw-field", spellcheck: "false", autocomplete: "off", "aria-describedby": wrong,
      oninput: debounce(() => this.compute(), 300),
    });
    this.unit = el("select", { class: "tw-select", onchange: () => this.compute() },
      ["2", "e"].map((value) => el("option", { value }, t(`unit-${value}`))));
    this.wrong = el("p", { id: wrong, class: "tw-problem", role: "alert" });
    this.note = el("output", { class: "tw-note" });
    this.back = button(`◀ ${t("back")}`, () => this.go(this.at - 1));
    this.step = button(`${t("step")} ▶`, () => this.go(this.at + 1));
    const move = (change) => () => this.move(change);
    this.left = button(`← ${t("left")}`, move((row, at) => {
      row.splice(at - 2, 0, ...row.splice(at - 1, 1));
      return at - 1;
    }));
    this.right = button(`${t("right")} →`, move((row, at) => {
      row.splice(at, 0, ...row.splice(at - 1, 1));
      return at + 1;
    }));
    const swap = this.merge && button(t("swap"), move((row, at) => {
      row.push(...row.splice(0, at));
      return row.length - at;
    }));
    this.picture = svg("svg", { class: "tw", viewBox: "0 0 400 156", "aria-hidden": "true" });
    this.says = el("output", { class: "tw-says" });
    this.prepend(
      bar(label("scores", this.field), label("unit", this.unit), this.wrong),
      bar(t("try"), [[this.text, "2"], ...TRY].map(([scores, unit]) =>
        button(scores.replaceAll("-", "−").replace("inf", "∞"),
          () => this.compute(scores, unit)))));
    this.append(this.note, bar(this.back, this.step, this.left, this.right, swap),
      this.picture, this.says);
  }

  // Ask Python for the row in the field; only the last question's answer counts.
  async compute(scores = this.field.value, unit = this.unit.value) {
    this.field.value = scores;
    this.unit.value = unit;
    const asked = (this.asked = { scores, unit });
    let wrong;
    this.ariaBusy = true;
    const data = await ask(this.merge ? "cuts" : "strip", asked).catch((error) => {
      if (!error.problem) throw error;
      wrong = problem(error.problem);
    });
    if (this.asked !== asked) return;
    this.ariaBusy = false;
    this.wrong.textContent = wrong ?? "";
    this.field.ariaInvalid = !data;
    if (!data) return;
    Object.assign(this, { data, text: scores, base: unit });
    this.fill();
    this.remember();
  }

  // The scores, each the radio button of a place to stand, and the weights.
  fill() {
    const { naive, online, scores } = this.data;
    this.radios = scores.map(([, x], i) => el("input", {
      type: "radio", name: "tw-at", onchange: () => this.go(i + 1),
      "aria-label": t(this.merge ? "cut" : "score", { i: i + 1, x }),
    }));
    this.put(0, scores.map(([, x], i) => el("td", {}, el("label", {}, this.radios[i], x))));
    [naive.weights, naive.exps, online].forEach((list, k) =>
      this.put(this.rows.length - 1 - k,
        list.map(([x, text]) => cell(text, typeof x === "string" && "tw-odd"))));
    this.note.textContent = naive.problem && t(naive.problem);
    this.go(this.at, false);
  }

  put(row, cells) {
    this.rows[row].replaceChildren(this.rows[row].cells[0], ...cells);
  }

  remember() {
    const now = { scores: this.text, unit: this.base, at: `${this.at}` };
    const url = new URL(location);
    for (const key in now)
      if (now[key] === this.first[key]) url.searchParams.delete(key);
      else url.searchParams.set(key, now[key]);
    history.replaceState(history.state, "", url);
  }

  // A change reorders the row and returns where the cursor then is.
  move(change) {
    const row = this.text.split(/[\s,;，、；[\]]+/).filter(Boolean);
    this.at = change(row, this.at);
    this.compute(row.join(" "));
  }

  // Stand after some scores: those before, the one just read, those to come.
  go(at, keep = true) {
    const { merge, radios, data: { joins, scores: { length } } } = this;
    this.at = at = Math.max(0, Math.min(length, at));
    this.back.disabled = at === 0;
    this.step.disabled = at === length;
    this.left.disabled = at < 2;
    this.right.disabled = at === 0 || at === length;
    radios.forEach((radio, i) => {
      radio.checked = i === at - 1;
      radio.parentNode.className = i < at - !merge ? "tw-a" : merge || i < at ? "tw-b" : "tw-next";
    });
    const join = joins[merge ? at : at - 1];
    if (merge) this.halves(join, at, length - at);
    else [(j) => j.m, (j) => j.a.factor, (j) => j.l].forEach((get, k) =>
      this.put(k + 1, joins.map((j, i) => cell(i < at ? get(j)[1] : "", j === join && "tw-here"))));
    this.draw(join);
    this.speak(join);
    if (!keep) return;
    this.remember();
    const [frame, here] = [this.querySelector(".tw-scroll"), radios[at - 1]?.closest("td")];
    if (here) frame.scrollLeft = here.offsetLeft - frame.clientWidth / 2;
  }

  halves(join, ...wide) {
    const both = [["a", join.a, wide[0]], ["b", join.b, wide[1]]].filter((half) => half[2]);
    this.put(1, both.map(([name, half, n]) => cell(t(name, { s: state(half) }), null, n)));
    this.put(2, both.map(([, half, n]) => cell(half.factor[1], null, n)));
    this.put(3, [cell(state(join), "tw-here", wide[0] + wide[1])]);
  }

  // Two bars, as long as their ℓ, shrink by their factors and become one; at first there is
  // no more than the first score, which comes next.
  draw(join) {
    const { a, b } = join ?? this.data.joins[0];
    this.picture.replaceChildren();
    const longest = this.data.joins.map((j) => Math.max(j.a.l[0] + j.b.l[0], j.l[0]));
    const unit = 360 / Math.max(2, ...longest);
    const text = (x, y, anchor, content) => svg("text", { x, y, "text-anchor": anchor },
      spell(content, (x) => svg("tspan", { class: "tw-it" }, x)));
    const box = (x, y, w, mark) => svg("rect", { x, y, width: w, height: 30, class: mark });
    let low = 200 - (unit * (a.part[0] + b.part[0])) / 2;
    for (const [half, top, mark] of [[a, 1, "tw-m"], [b, 399 - unit * b.l[0], "tw-s"]]) {
      const [high, wide] = [unit * half.l[0], unit * half.part[0]];
      if (!high) continue;
      this.picture.append(box(top, 22, high, join ? mark : "tw-s tw-next"));
      if (join) this.picture.append(
        svg("path", { d: `M${top} 52h${high}L${low + wide} 100h${-wide}Z`, class: "tw-shrink" }),
        box(low, 100, wide, mark),
        text((top + low + (high + wide) / 2) / 2, 80, "middle", `× ${half.factor[1]}`));
      low += wide;
    }
    const names = this.merge ? ["a", "b"] : ["old", "new"];
    this.picture.append(
      text(0, 14, "start", t(names[0], { s: state(a) })),
      text(400, 14, "end", t(names[1], { s: state(b), x: b.m[1] })),
      join ? text(200, 150, "middle", state(join))
        : svg("path", { d: "M200 100v30", class: "tw-m" }));
  }

  // The formula with this step's numbers put in, and what happened.
  speak(join) {
    const p = (text, ...parts) =>
      el("p", {}, spell(text, (x) => el("i", {}, x)), ...parts);
    if (!join) return this.says.replaceChildren(p(t("begin")));
    const { a, b, m, l } = join;
    const to = m[1].startsWith("−") ? `(${m[1]})` : m[1];
    const power = (half) => half.m[0] === "-inf" ? ["0"] :
      [this.base, el("sup", {}, `${half.m[1]} − ${to}`)];
    this.says.replaceChildren(
      p(`m = max(${a.m[1]}, ${b.m[1]}) = ${m[1]}`),
      p("ℓ = ", ...power(a), ` · ${a.l[1]} + `, ...power(b),
        this.merge && ` · ${b.l[1]}`, ` = ${a.part[1]} + ${b.part[1]} = ${l[1]}`),
      p(t(join.case, {
        a: a.m[1], b: m[1], f: a.factor[1], h: a.l[0] ? "B" : "A",
        back: join.swapped && state(join.swapped),
      })));
  }
}
customElements.define("tw-strip", Strip);
