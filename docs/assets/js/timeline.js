// <tw-timeline data-pass="backward">: an instant in the time lines of a kernel, and what each
// role does then. The figure within is what readers without scripts have; the stamps behind
// it, made by scripts/draw/figures/_lanes.py, come when the figure is near.
import { el, load, say, svg } from "./page.js";

const STEP = 10; // cycles
const t = (key, args) => say(words, key, args);

class Timeline extends HTMLElement {
  async connectedCallback() {
    if (this.asked) return;
    this.asked = true;
    const film = await load(`live/timeline-${this.dataset.pass}.json`);
    this.lanes = Object.entries(film.lanes);
    const ends = this.lanes.flatMap(([, spans]) => spans.flatMap(([a, b]) => [a, b]));
    const events = new Set(ends.map((at) => Math.ceil(at / STEP) * STEP));
    this.events = [...events].filter((at) => at >= 0 && at <= film.cycles).sort((a, b) => a - b);
    this.build(film.cycles);
    this.draw(film);
    this.show();
  }

  build(cycles) {
    const button = (text, to) => el("button", {
      type: "button", class: "tw-button", "aria-label": t(to), onclick: () => this.jump(to),
    }, text);
    this.slider = el("input", {
      type: "range", min: 0, max: cycles, step: STEP, value: cycles / 2,
      "aria-label": t("instant"), oninput: () => this.show(),
    });
    this.clock = el("span", { class: "tw-clock" });
    this.rows = el("dl");
    this.append(el("div", { class: "tw-controls" },
      this.slider, button("◀", "before"), button("▶", "after"), this.clock), this.rows);
  }

  // A line over all lanes, which a pointer moves.
  draw({ box: [left, top, wide, high], cycles }) {
    const picture = this.querySelector("svg");
    const line = svg("path", { d: `M0 ${top - 3}v${high + 3}`, class: "tw-line tw-now" });
    picture.append(line);
    this.place = (at) =>
      line.setAttribute("transform", `translate(${left + (wide * at) / cycles})`);
    const to = (event) => {
      if (event.type === "pointermove" && !event.buttons) return;
      const { x, width } = picture.getBoundingClientRect();
      const unit = picture.viewBox.baseVal.width / width;
      this.slider.value = (((event.clientX - x) * unit - left) / wide) * cycles;
      this.show();
    };
    picture.addEventListener("pointerdown", to);
    picture.addEventListener("pointermove", to);
  }

  // To the next moment at which some role begins or ends something, or to the last one.
  jump(to) {
    const now = Number(this.slider.value);
    const { events } = this;
    const found = to === "after"
      ? events.find((at) => at > now) : events.findLast((at) => at < now);
    if (found == null) return;
    this.slider.value = found;
    this.show();
  }

  show() {
    const at = Number(this.slider.value);
    this.place(at);
    this.clock.textContent = t("at", { at });
    const told = this.lanes.map(([lane, spans]) => {
      const fetches = lane === "producer" && this.dataset.pass === "backward";
      const role = t(fetches ? "fetcher" : lane); // as the figure has it
      const span = spans.find(([begin, end]) => begin <= at && at < end);
      if (!span) return [role, t("between")];
      const [begin, end, key, tile] = span;
      const args = { tile, before: tile - 1, past: at - begin, all: end - begin };
      return [role, `${t(key, args)} ${t("for", args)}`];
    });
    this.rows.replaceChildren(...told.flatMap(([role, does]) =>
      [el("dt", {}, role), el("dd", {}, does)]));
    this.slider.setAttribute("aria-valuetext",
      [t("at", { at }), ...told.map((pair) => pair.join(t("colon")))].join(t("stop")));
  }
}

export const words = {
  en: {
    "instant": "Instant, in cycles",
    "before": "to the event before",
    "after": "to the next event",
    "at": "cycle {at}",
    "consumer 0": "consumer 0",
    "consumer 1": "consumer 1",
    "consumer 2": "consumer 2",
    "producer": "producer",
    "fetcher": "the warp that fetches",
    "adder": "the warp that adds dQ",
    "between": "goes from one tile to the next.",
    "for": "({past} of {all} cycles)",
    "colon": ": ",
    "stop": "; ",
    "key": "tile {tile}: waits for K.",
    "turn": "tile {tile}: waits for its turn.",
    "start": "tile {tile}: starts S, waits for V of tile {before}, rescales O, starts O += PV.",
    "product": "tile {tile}: waits for S.",
    "softmax": "tile {tile}: computes the softmax, and waits for O of tile {before}.",
    "room k": "tile {tile}: waits for a free buffer, then asks for K.",
    "room v": "tile {tile}: waits for a free buffer, then asks for V.",
    "scores": "tile {tile}: waits for Q and dO, starts Sᵀ and dPᵀ, waits for Sᵀ.",
    "weights": "tile {tile}: computes the exponentials Pᵀ, and waits for dPᵀ.",
    "ds": "tile {tile}: computes dSᵀ and stores it in shared memory.",
    "dq": "tile {tile}: starts dV, waits for the other half of dSᵀ, starts dQ and dK,"
      + " waits for dQ.",
    "dk": "tile {tile}: stores dQ where there is room, and waits for dK.",
    "full": "tile {tile}: waits for a free buffer.",
    "fetch": "tile {tile}: asks for Q, L, dO and δ.",
    "halves": "tile {tile}: waits for the half of dQ of consumer 0.",
    "add": "tile {tile}: adds the halves of dQ to the sums as they come, until both are read.",
  },
  zh: {
    "instant": "时刻（周期）",
    "before": "到上一个事件",
    "after": "到下一个事件",
    "at": "第 {at} 个周期",
    "consumer 0": "消费者 0",
    "consumer 1": "消费者 1",
    "consumer 2": "消费者 2",
    "producer": "生产者",
    "fetcher": "取数据的 warp",
    "adder": "累加 dQ 的 warp",
    "between": "正从一块转到下一块。",
    "for": "（第 {past} 个周期，共 {all} 个）",
    "colon": "：",
    "stop": "；",
    "key": "第 {tile} 块：等待 K。",
    "turn": "第 {tile} 块：等待轮到自己。",
    "start": "第 {tile} 块：发起 S，等待第 {before} 块的 V，缩放 O，再发起 O += PV。",
    "product": "第 {tile} 块：等待 S。",
    "softmax": "第 {tile} 块：计算 softmax，并等待第 {before} 块的 O。",
    "room k": "第 {tile} 块：等待缓冲区腾空，然后去取 K。",
    "room v": "第 {tile} 块：等待缓冲区腾空，然后去取 V。",
    "scores": "第 {tile} 块：等待 Q 和 dO，发起 Sᵀ 和 dPᵀ，等待 Sᵀ。",
    "weights": "第 {tile} 块：计算指数 Pᵀ，并等待 dPᵀ。",
    "ds": "第 {tile} 块：计算 dSᵀ，存进共享内存。",
    "dq": "第 {tile} 块：发起 dV，等待 dSᵀ 的另一半，发起 dQ 和 dK，等待 dQ。",
    "dk": "第 {tile} 块：等到有位置时存放 dQ，并等待 dK。",
    "full": "第 {tile} 块：等待缓冲区腾空。",
    "fetch": "第 {tile} 块：去取 Q、L、dO 和 δ。",
    "halves": "第 {tile} 块：等待消费者 0 的那一半 dQ。",
    "add": "第 {tile} 块：两半 dQ 先后到达，随到随加，直到都读完。",
  },
};
customElements.define("tw-timeline", Timeline);
