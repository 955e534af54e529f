// An exercise: a field for the reader's code, its checks, hints one after the other. What
// was solved, and the code, stay in this browser. The task, the text to begin with, hints
// and a solution stand in the page already; Python runs the checks (tilewise.live.grade).
import { editor } from "./editor.js";
import { button, debounce, el, lang, problem, say } from "./page.js";
import { ask, stop } from "./runtime.js";

export const words = {
  en: {
    code: "Your code. Ctrl+Enter checks it, Escape leaves it.",
    check: "Check",
    stop: "Stop",
    reset: "Start over",
    back: "Bring my code back",
    checking: "Checking …",
    passed: "passed:",
    failed: "failed:",
    all: "Solved: all {n} checks pass.",
    some: "{k} of {n} checks pass.",
    none: "Not checked yet.",
  },
  zh: {
    code: "你的代码，按 Ctrl+Enter 检查，按 Esc 离开。",
    check: "检查",
    stop: "停止",
    reset: "重新开始",
    back: "恢复我的代码",
    checking: "正在检查……",
    passed: "通过：",
    failed: "未通过：",
    all: "做对了，{n} 项检查全部通过。",
    some: "{n} 项检查通过了 {k} 项。",
    none: "还没有检查。",
  },
};

// What this browser keeps: {name: {code, solved}}. A browser may refuse to.
export const KEY = "tilewise-exercises";
export const recall = () => {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY));
    return kept && typeof kept === "object" ? kept : {};
  } catch {
    return {};
  }
};
const keep = (name, more) => {
  const kept = recall();
  kept[name] = { ...kept[name], ...more };
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {} // full, or private: the page works without
  dispatchEvent(new Event(KEY));
};

// Python gives a sentence as text and code in turn.
const sentence = ({ parts }) => parts.map((part, i) => (i % 2 ? el("code", {}, part) : part));

class Exercise extends HTMLElement {
  connectedCallback() {
    if (this.field) return;
    this.name = this.getAttribute("name");
    const begin = this.querySelector(".tw-begin");
    this.text = begin.querySelector("code").textContent.trimEnd() + "\n";
    this.go = button(say(words, "check"), () => (this.job ? stop(this.job) : this.grade()));
    this.over = button(say(words, "reset"), () =>
      (this.gone ? this.fill(this.gone) : this.startOver()));
    this.status = el("span", { role: "status" }, say(words, "none"));
    this.printed = el("div", {});
    this.mark = el("span", { class: "tw-mark" });
    const code = el("code", { "aria-hidden": "true" });
    const save = debounce(() => this.save());
    Object.assign(this, editor(code, {
      label: say(words, "code"),
      go: () => this.job || this.grade(),
      leave: () => this.go.focus(),
      changed: () => {
        this.mark.remove();
        this.offer();
        save();
      },
    }));
    const block = el("div", { class: "highlight tw-open" }, el("pre", {}, code, this.field));
    const bar = [this.go, this.over, this.status];
    begin.replaceWith(block, el("div", { class: "tw-controls" }, bar), this.printed);
    this.checks = [...this.querySelectorAll("[data-check]")];
    this.labels = this.checks.map((item) => item.textContent);
    this.inTurn([...this.querySelectorAll(".tw-hint")]);
    const kept = recall()[this.name]?.code;
    this.field.value = typeof kept === "string" ? kept : this.text;
    this.paint();
  }

  // A hint comes after the one before was read.
  inTurn(hints) {
    hints.forEach((hint, i) => {
      hint.hidden = i > 0;
      hint.addEventListener("toggle", () => hints[i + 1]?.removeAttribute("hidden"));
    });
  }

  save() {
    const code = this.field.value === this.text ? undefined : this.field.value;
    if (code !== recall()[this.name]?.code) keep(this.name, { code });
  }

  fill(text) {
    if (this.job) stop(this.job);
    this.field.value = text;
    this.paint();
    this.save();
    this.clear();
    this.status.textContent = say(words, "none");
  }

  startOver() {
    const code = this.field.value;
    this.fill(this.text);
    if (code !== this.text) this.offer(code);
  }

  // What was there before can be had again, until something is typed.
  offer(gone = "") {
    this.gone = gone;
    this.over.textContent = say(words, gone ? "back" : "reset");
  }

  clear() {
    this.mark.remove();
    this.printed.replaceChildren();
    this.checks.forEach((item, i) => {
      item.removeAttribute("class");
      item.replaceChildren(this.labels[i]);
    });
  }

  async grade() {
    this.save();
    this.clear();
    this.go.textContent = say(words, "stop");
    this.status.textContent = say(words, "checking");
    this.job = ask("grade", { name: this.name, source: this.field.value, lang });
    try {
      this.show(await this.job);
    } catch (error) {
      if (!error.problem) throw error;
      this.status.textContent = problem(error.problem);
    } finally {
      this.job = null;
      this.go.textContent = say(words, "check");
    }
  }

  show({ passed, checks, fault, printed }) {
    this.querySelector(".tw-checks").open = true;
    const found = new Map(checks.map((x) => [x.check, x.fault]));
    this.checks.forEach((item, i) => {
      const wrong = found.get(item.dataset.check);
      if (wrong === undefined) return;
      item.className = wrong ? "tw-failed" : "tw-passed";
      const word = say(words, wrong ? "failed" : "passed");
      item.prepend(el("span", { class: "tw-aside" }, `${word} `));
      if (wrong) item.append(el("p", {}, sentence(wrong)));
    });
    if (printed) this.printed.append(el("pre", {}, el("code", { tabindex: "0" }, printed)));
    const k = checks.filter((x) => !x.fault).length;
    const said = say(words, passed ? "all" : "some", { k, n: checks.length });
    this.status.replaceChildren(...(fault ? sentence(fault) : [said]));
    const { line } = fault ?? checks.find((x) => x.fault?.line)?.fault ?? {};
    if (line) {
      this.mark.style.setProperty("--tw-line", line - 1);
      this.field.after(this.mark);
    }
    if (passed) keep(this.name, { solved: true });
  }
}

customElements.define("tw-exercise", Exercise);
