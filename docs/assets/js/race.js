// <tw-race>: standard attention and FlashAttention on one clock. The page has both in their
// last state and, as data, when each kernel ends and what it has moved until then. Within a
// kernel bytes flow evenly here. A millisecond takes a second.
import { lang, say } from "./page.js";

const GRID = 8; // tiles along a side of the drawing

class Race extends HTMLElement {
  connectedCallback() {
    if (this.data) return;
    this.data = JSON.parse(this.querySelector("script").textContent);
    this.words = { [lang]: this.data.words };
    [this.button, this.slider] = this.querySelectorAll("button, input");
    this.end = this.data.standard.at(-1)[0];
    this.slider.addEventListener("input", () => (this.stop(), this.show()));
    this.button.addEventListener("click", () => (this.playing ? this.stop() : this.play()));
    this.show();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const seen = new IntersectionObserver(([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      seen.disconnect();
      this.play();
    }, { threshold: 0.6 });
    seen.observe(this.querySelector(".tw-lanes"));
  }

  play() {
    let at = this.slider.value;
    if (at >= this.end) at = 0;
    const began = performance.now() - at * 1000;
    this.playing = true;
    this.button.textContent = this.word("pause");
    const step = (now) => {
      if (!this.playing) return;
      this.slider.value = Math.max(0, now - began) / 1000;
      this.show();
      if (this.slider.value < this.end) requestAnimationFrame(step);
      else this.stop();
    };
    requestAnimationFrame(step);
  }

  stop() {
    this.playing = false;
    this.button.textContent = this.word("play");
  }

  word(key, args) {
    return say(this.words, key, args);
  }

  show() {
    const time = Math.min(this.slider.value, this.end);
    const texts = [this.standard(time), this.flash(time)];
    this.slider.ariaValueText = texts.join("; ");
  }

  // Clock, bytes and state of one side, and the height of its column.
  tell(name, time, moved, now) {
    const lane = this.querySelector(`.tw-lane-${name}`);
    const most = this.data.standard.at(-1)[1];
    const texts = [this.word("at", { t: time.toFixed(2) }),
      this.word("moved", { g: moved.toFixed(2) }), now];
    [".tw-clock", ".tw-moved", ".tw-now"].forEach((part, n) => {
      lane.querySelector(part).textContent = texts[n];
    });
    this.grow(lane, ".tw-bytes", moved / most, true);
    return `${this.word(name)}: ${texts.join(", ")}`;
  }

  // A part of a drawing, filled to some share of its height, from above or from below.
  grow(lane, part, share, up = false) {
    const one = lane.querySelector(part);
    const high = 96 * Math.min(1, Math.max(0, share));
    one.setAttribute("height", high);
    if (up) one.setAttribute("y", 96.5 - high);
  }

  standard(time) {
    const ends = this.data.standard;
    const lane = this.querySelector(".tw-lane-standard");
    const begin = (n) => (n ? ends[n - 1] : [0, 0]);
    const done = ends.map(([end], n) => (time - begin(n)[0]) / (end - begin(n)[0]));
    const n = Math.min(ends.length - 1, ends.findIndex(([end]) => time < end) >>> 0);
    const moved = begin(n)[1] + (ends[n][1] - begin(n)[1]) * Math.min(1, done[n]);
    this.grow(lane, ".tw-S", done[0]);
    this.grow(lane, ".tw-P", done[2]);
    this.grow(lane, ".tw-O", done[3]);
    const kernel = ["qk", "scale", "softmax", "pv"][n];
    return this.tell("standard", time, moved, this.word(time < this.end ? kernel : "done"));
  }

  flash(time) {
    const [end, most] = this.data.flash;
    const lane = this.querySelector(".tw-lane-flash");
    const share = Math.min(1, time / end);
    const tile = Math.floor(share * GRID * GRID);
    for (const past of [0, 1, 2, 3]) {
      const at = tile - past;
      const one = lane.querySelector(`.tw-past${past}`);
      one.setAttribute("x", 0.5 + 12 * (at % GRID));
      one.setAttribute("y", 0.5 + 12 * Math.floor(at / GRID));
      one.classList.toggle("tw-gone", at < 0 || share === 1);
    }
    this.grow(lane, ".tw-O", Math.floor(share * GRID) / GRID);
    const waits = { t: (time - end).toFixed(2) };
    const now = share < 1 ? this.word("tile") : this.word("waits", waits);
    return this.tell("flash", Math.min(time, end), most * share, now);
  }
}
customElements.define("tw-race", Race);
