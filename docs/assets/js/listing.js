// Run and edit: the first run makes a listing editable where it stands.
import { editor } from "./editor.js";
import { button, el, problem, say } from "./page.js";
import { loaded, run, stop } from "./runtime.js";

export const words = {
  en: {
    run: "Run",
    stop: "Stop",
    reset: "Reset",
    field: "Code of listing {n}. Ctrl+Enter runs it, Escape leaves it.",
    output: "Output of listing {n}",
    loading: "Loading Python …",
    running: "Running …",
    first: "Done in {seconds} s. The code can be edited now.",
    done: "Done in {seconds} s.",
    wrong: "Line {line}: {message}",
    cut: "Only the first 20,000 characters are shown.",
    defined: "It printed nothing. It defined {names}.",
    silent: "It printed nothing.",
    call: "Add a line that uses it",
    and: ", ",
  },
  zh: {
    run: "运行",
    stop: "停止",
    reset: "还原",
    field: "第 {n} 段代码。按 Ctrl+Enter 运行，按 Esc 离开。",
    output: "第 {n} 段代码的输出",
    loading: "正在加载 Python……",
    running: "正在运行……",
    first: "用时 {seconds} 秒。现在可以改代码了。",
    done: "用时 {seconds} 秒。",
    wrong: "第 {line} 行：{message}",
    cut: "只显示前 20,000 个字符。",
    defined: "没有输出，只定义了 {names}。",
    silent: "没有输出。",
    call: "加一行调用它",
    and: "、",
  },
};

const listing = (block, n) => {
  const code = block.querySelector("pre > code");
  const original = [...code.childNodes];
  const text = code.textContent.trimEnd();
  const next = block.nextElementSibling;
  const printed = next?.matches(".output") ? next : null;
  let job = null;

  const start = button(say(words, "run"), () => (job ? stop(job) : go()), { class: "tw-start" });
  const reset = button(say(words, "reset"), () => restore());
  const status = el("span", { class: "tw-status", role: "status" });
  const bar = el("div", { class: "tw-bar" }, reset, status);
  const out = el("code", { tabindex: 0 });
  const more = el("p", { class: "tw-note" });
  const label = say(words, "output", { n });
  const pre = el("pre", {}, out);
  const shown = el("div", { class: "tw-shown", role: "region", "aria-label": label }, pre, more);
  const mark = el("span", { class: "tw-mark" });
  const { field, paint } = editor(code, {
    label: say(words, "field", { n }),
    go: () => go(),
    leave: () => start.focus(),
    changed: () => mark.remove(),
  });

  const open = () => {
    if (bar.isConnected) return show("");
    field.value = text;
    code.inert = true; // the theme lets the focus into wide code, also where it is hidden
    code.after(field);
    block.classList.add("tw-open");
    block.append(shown, bar);
    show(printed?.querySelector("code").textContent ?? ""); // until there is another
  };

  const busy = (now) => {
    job = now;
    start.textContent = say(words, now ? "stop" : "run");
    start.ariaBusy = !!now;
  };

  const restore = () => {
    if (job) stop(job);
    busy();
    code.replaceChildren(...original);
    code.inert = false;
    for (const part of [field, bar, shown, mark]) part.remove();
    block.classList.remove("tw-open");
    if (printed) printed.hidden = false;
    start.focus();
  };

  const show = (output) => {
    if (printed) printed.hidden = true;
    out.textContent = output;
    pre.hidden = !output;
  };

  // What a program defined that printed nothing, and a line to use it.
  const offer = () => {
    const defined = [...field.value.matchAll(/^(?:def|class) (\w+)/gm)].map(([, name]) => name);
    const names = defined.join(say(words, "and"));
    more.append(say(words, names ? "defined" : "silent", { names }), " ");
    const line = block.dataset.try;
    const add = () => {
      field.value = `${field.value.trimEnd()}\n\n${line}`;
      paint();
      start.focus();
      go();
    };
    if (line && !field.value.includes(line))
      more.append(button(say(words, "call"), add, { title: line }));
  };

  const ended = ({ output, cut, error, seconds }) => {
    show(output);
    if (cut) more.append(say(words, "cut"));
    else if (!output && !error) offer();
    if (!error) {
      const kind = field.value === text ? "first" : "done";
      return say(words, kind, { seconds: Math.max(seconds, 0.01).toFixed(2) });
    }
    if (!error.line) return error.message;
    mark.style.setProperty("--tw-line", error.line - 1);
    code.after(mark);
    return say(words, "wrong", error);
  };

  const go = async () => {
    if (job) return;
    open();
    mark.remove();
    more.replaceChildren();
    const mine = run(field.value, show);
    busy(mine);
    const doing = say(words, loaded() ? "running" : "loading");
    // a screen reader speaks what changes in the status, not what it begins with
    setTimeout(() => job === mine && (status.textContent = doing), 60);
    const said = await mine.then(
      (made) => job === mine && ended(made),
      (error) => problem(error.problem),
    );
    if (job !== mine) return;
    status.textContent = said;
    busy();
  };

  block.prepend(start);
};

document.querySelectorAll(".tw-run").forEach((block, at) => listing(block, at + 1));
