// What readers edit code in: a text field with transparent letters lies over the coloured
// code, which follows what is typed. Both stand in the <pre> of a block with tw-open.
import { el } from "./page.js";

// Parts of Python by the class that the theme colours them by.
const KEYWORDS =
  "as|assert|break|class|continue|def|elif|else|except|finally|for|from|if|import|in|lambda|" +
  "pass|raise|return|try|while|with|yield";
const TOKENS = new RegExp(
  `(?<c1>#.*)|(?<sd>"""[^]*?(?:"""|$))|(?<s2>"(?:\\\\.|[^"\\\\\\n])*"?|'(?:\\\\.|[^'\\\\\\n])*'?)` +
    `|(?<nf>(?<=\\b(?:def|class) +)\\w+)|(?<k>\\b(?:${KEYWORDS})\\b)|(?<mi>\\b\\d[\\w.]*)`,
  "g",
);

// The code in colours, as the theme's classes have them.
const coloured = (text) => {
  const parts = [];
  let last = 0;
  for (const found of text.matchAll(TOKENS)) {
    const [kind] = Object.entries(found.groups).find(([, part]) => part !== undefined);
    parts.push(text.slice(last, found.index), el("span", { class: kind }, found[0]));
    last = found.index + found[0].length;
  }
  return [...parts, text.slice(last)];
};

// Put text where the caret is, so that the browser can undo it.
const type = (field, text) => {
  if (!document.execCommand("insertText", false, text))
    field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
};

const newLine = (field) => {
  const line = field.value.slice(0, field.selectionStart).split("\n").pop();
  const indent = line.match(/^ */)[0] + (/:\s*(#.*)?$/.test(line) ? "    " : "");
  type(field, `\n${indent}`);
};

// The field for a <code>, and paint(), which shows there what the field holds. Ctrl+Enter
// calls go(), Escape leave(); changed() is told of every change.
export const editor = (code, { label, go, leave, changed = () => {} }) => {
  const field = el("textarea", {
    class: "tw-code", spellcheck: "false", autocapitalize: "off", autocomplete: "off",
    wrap: "off", "aria-label": label,
  });
  document.documentElement.dataset.twEdits = ""; // widgets.css: its line is not below the header
  const paint = () => {
    code.replaceChildren(...coloured(`${field.value}\n`));
    changed();
  };
  field.addEventListener("input", paint);
  field.addEventListener("scroll", () => (code.scrollLeft = field.scrollLeft));
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape") leave();
    else if (event.key !== "Enter") return;
    else if (event.ctrlKey || event.metaKey) go();
    else newLine(field);
    event.preventDefault();
  });
  return { field, paint };
};
