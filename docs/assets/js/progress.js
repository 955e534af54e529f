// The list of all exercises, with what is solved, and a way to forget it.
import { KEY, recall } from "./exercise.js";
import { button, el, say } from "./page.js";

export const words = {
  en: {
    solved: "solved",
    progress: "Solved: {k} of {n}. This is kept in this browser only, with your code.",
    forget: "Forget it all",
  },
  zh: {
    solved: "已做对",
    progress: "做对了 {k} 题，共 {n} 题。进度和代码只保存在这个浏览器里。",
    forget: "全部清除",
  },
};

class Progress extends HTMLElement {
  connectedCallback() {
    if (this.line) return;
    this.items = [...this.querySelectorAll("[data-name]")];
    this.line = el("span", { role: "status" });
    const forget = button(say(words, "forget"), () => this.forget());
    this.prepend(el("p", { class: "tw-controls" }, this.line, forget));
    addEventListener(KEY, () => this.show());
    addEventListener("storage", () => this.show()); // another tab
    this.show();
  }

  show() {
    const kept = recall();
    const solved = this.items.filter((item) => kept[item.dataset.name]?.solved);
    for (const item of this.items) {
      const done = solved.includes(item);
      item.classList.toggle("tw-passed", done);
      item.querySelector(".tw-aside")?.remove();
      if (done) item.append(el("span", { class: "tw-aside" }, ` (${say(words, "solved")})`));
    }
    const text = say(words, "progress", { k: solved.length, n: this.items.length });
    if (this.line.textContent !== text) this.line.textContent = text;
  }

  forget() {
    for (const exercise of document.querySelectorAll("tw-exercise")) exercise.startOver();
    try {
      localStorage.removeItem(KEY);
    } catch {} // nothing was kept
    this.show();
  }
}

customElements.define("tw-progress", Progress);
