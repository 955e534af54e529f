// <tw-measured>: plots and tables of what was measured, for the directions, head sizes,
// masks and kernels that the reader chooses. The values and the words come with the page,
// from scripts/draw/elements/gpu/measured.py; here they are only picked and drawn.
import { el, lang, say, svg } from "./page.js";

const LEFT = 30, TOP = 24, RIGHT = 190, BOTTOM = 186; // of a plot, in 206 × 212
const ARROWS = { Left: -1, Right: 1, Down: -1, Up: 1 };

class Measured extends HTMLElement {
  connectedCallback() {
    if (this.plots) return;
    Object.assign(this, JSON.parse(this.querySelector("script").textContent));
    this.t = (key, args) => say({ [lang]: this.words }, key, args);
    const names = Object.keys(this.kernels);
    this.groups = [
      this.group("pass", ["forward", "backward"], ["forward"]),
      this.group("d", this.dims.map(String)),
      this.group("mask", ["full", "causal"]),
      this.group("kernel", names, names.slice(0, 6)),
    ];
    this.none = el("p", { class: "tw-problem", role: "status" });
    const near = (event) => this.near(event);
    this.plots = el("div", {
      class: "tw-panels", role: "group", "aria-label": this.t("plot"),
      onfocusin: ({ target }) => this.show(this.points.find(({ node }) => node === target)),
      onfocusout: () => this.show(), onpointerleave: () => this.show(),
      onpointermove: near, onpointerdown: near, onkeydown: (event) => this.key(event),
    });
    this.tip = el("p", { class: "tw-tip", "aria-hidden": "true" });
    this.tables = el("div", { class: "tw-tables" });
    const told = el("details", { class: "info" }, el("summary", {}, this.t("tables")), this.tables);
    const filter = el("form", { class: "tw-filter", onchange: () => this.draw() }, this.groups);
    this.replaceChildren(filter, this.none, this.plots, told);
    this.draw();
  }

  // Checkboxes of one kind; the address says which are ticked, if it says anything.
  group(name, values, first = values) {
    const now = new URLSearchParams(location.search).get(name)?.split(".") ?? first;
    const boxes = values.map((value) => {
      const kernel = name === "kernel" && this.kernels[value];
      const input = el("input", { type: "checkbox", value, checked: now.includes(value) });
      const sign = { class: "tw tw-sign", viewBox: "0 0 26 8", "aria-hidden": "true" };
      return el("label", {}, input, kernel && svg("svg", sign, this.line(kernel, "M0 4H26")),
        kernel.name ?? this.words[value] ?? value);
    });
    const made = el("fieldset", { name }, el("legend", {}, this.t(name)), boxes);
    return Object.assign(made, { first: first.join(".") });
  }

  line({ css, dashes }, d) {
    return svg("path", { d, class: `${css} tw-open`, "stroke-dasharray": dashes });
  }

  draw() {
    const url = new URL(location);
    const [ways, dims, masks, names] = this.groups.map((group) => {
      const chosen = [...group.querySelectorAll(":checked")].map((box) => box.value);
      const text = chosen.join(".");
      url.searchParams.set(group.name, text);
      if (text === group.first) url.searchParams.delete(group.name);
      return chosen;
    });
    history.replaceState(history.state, "", url);
    Object.assign(this, { points: [], cells: {} });
    this.least = Math.min(...names.map((name) => this.kernels[name].least));
    const panels = [], tables = [];
    for (const way of ways)
      for (const d of dims) {
        const here = names.filter((name) => this.kernels[name][way]);
        if (!masks[0] || !here[0]) continue;
        panels.push(...masks.map((mask) => this.panel(way, d, mask, here)));
        tables.push(this.table(way, d, masks, here));
      }
    this.plots.replaceChildren(...panels, this.tip);
    this.tables.replaceChildren(...tables);
    const [first] = this.points;
    if (first) first.node.tabIndex = 0;
    this.none.textContent = tables.length ? "" : this.t("none");
    for (const box of this.groups[3].querySelectorAll("input"))
      box.parentNode.hidden = !ways.some((way) => this.kernels[box.value][way]);
    this.show();
  }

  panel(way, d, mask, names) {
    const { sizes, most, least } = this;
    const title = this.t(`title-${mask}`, { way: this.t(way), d });
    const x = (i) => LEFT + ((RIGHT - LEFT) * i) / (sizes.length - 1);
    const y = (speed) => BOTTOM - ((BOTTOM - TOP) * (speed - least)) / (most - least);
    const text = (x, y, anchor, content) =>
      svg("text", { x, y, "text-anchor": anchor, class: "tw-small" }, content);
    const panel = svg("svg", {
      class: "tw", viewBox: "0 0 206 212", role: "group", "aria-label": title,
    }, text(LEFT, 14, "start", title));
    for (let speed = least; speed <= most; speed += 100)
      panel.append(svg("path", { d: `M${LEFT} ${y(speed)}H${RIGHT}`, class: "tw-rule" }),
        text(LEFT - 5, y(speed) + 4, "end", speed));
    sizes.forEach((n, i) => i % 2 || panel.append(text(x(i), BOTTOM + 17, "middle", n)));
    const ends = [];
    for (const name of [...names].reverse()) {
      const kernel = this.kernels[name];
      const at = [], made = [];
      kernel[way][d][mask].forEach((cell, i) => {
        if (!cell) return;
        const [speed, ms] = cell;
        const label = this.t("point", { kernel: kernel.name, speed, ms, title, n: sizes[i] });
        const cx = x(i), cy = y(speed);
        const node = svg("circle", {
          cx, cy, r: 4, class: `${kernel.css} tw-point`,
          tabindex: -1, role: "img", "aria-label": label,
        });
        at.push([cx, cy]);
        this.points.push({
          node, speed, label, kernel, place: title + i, key: [way, d, mask, i, name],
        });
        made.push(node);
      });
      panel.append(this.line(kernel, `M${at.join("L")}`), ...made);
      ends.push([at.pop()[1] + 3, kernel]);
    }
    let place = BOTTOM + 14; // of a name at the end of its line, above the one before
    for (const [y, { short, css }] of ends.sort((a, b) => b[0] - a[0])) {
      place = Math.min(y, place - 10.5);
      panel.append(svg("text", { x: RIGHT + 6, y: place, class: `${css} tw-name` }, short));
    }
    return panel;
  }

  table(way, d, masks, names) {
    const head = (scope, text) => el("th", { scope }, text);
    const rows = masks.flatMap((mask) => this.sizes.map((n, i) => {
      const speeds = names.map((name) => this.kernels[name][way][d][mask][i]?.[0]);
      const best = Math.max(...speeds.filter(Boolean));
      const cells = speeds.map((x, k) => this.cells[[way, d, mask, i, names[k]]] =
        el("td", {}, x === best ? el("strong", {}, x) : x ?? "–"));
      return el("tr", {}, head("row", this.t(`row-${mask}`, { n })), cells);
    }));
    const tops = names.map((name) => head("col", this.kernels[name].short));
    return el("table", { class: "tw-speeds" },
      el("caption", {}, this.t("table", { way: this.t(way), d })),
      el("thead", {}, el("tr", {}, head("col", this.t("length")), tops)), el("tbody", {}, rows));
  }

  // The exact values of a point, in place of its plot's title, and its cell in the table;
  // none hides them.
  show(point) {
    for (const old of this.querySelectorAll(".tw-on")) old.classList.remove("tw-on");
    this.tip.hidden = !point;
    if (!point) return;
    for (const node of [point.node, this.cells[point.key]]) node.classList.add("tw-on");
    this.tip.textContent = point.label;
    const here = point.node.parentNode.firstChild.getBoundingClientRect();
    const frame = this.plots.getBoundingClientRect();
    this.tip.style.setProperty("--x", `${here.x - frame.x}px`);
    this.tip.style.setProperty("--y", `${here.bottom - frame.y}px`);
  }

  near({ target, clientX, clientY }) {
    const panel = target.closest("svg");
    const away = ({ node }) => {
      const { x, y, width } = node.getBoundingClientRect();
      return Math.hypot(x + width / 2 - clientX, y + width / 2 - clientY);
    };
    const here = this.points.filter(({ node }) => node.parentNode === panel);
    this.show(here.sort((a, b) => away(a) - away(b))[0]);
  }

  // Along a kernel's line, or to the next faster or slower one.
  key(event) {
    if (event.key === "Escape") this.show();
    const now = this.points.find(({ node }) => node === event.target);
    const by = ARROWS[event.key.slice(5)];
    if (!now || !by) return;
    event.preventDefault();
    const up = /[np]$/.test(event.key); // Down, Up
    const same = up ? "place" : "kernel";
    const row = this.points.filter((point) => point[same] === now[same]);
    if (up) row.sort((a, b) => a.speed - b.speed);
    const next = row[row.indexOf(now) + by] ?? now;
    now.node.tabIndex = -1;
    next.node.tabIndex = 0;
    next.node.focus();
  }
}
customElements.define("tw-measured", Measured);
