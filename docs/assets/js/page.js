// What every widget needs of the page: its language, elements, messages, files.

export const lang = document.documentElement.lang.startsWith("zh") ? "zh" : "en";

// A file below the site's assets, parsed as JSON.
export const load = async (path) => {
  const answer = await fetch(new URL(`../${path}`, import.meta.url));
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
};

// words = {en: {key: "text with {name}"}, zh: {…}}: the text in the page's language.
export const say = (words, key, args = {}) =>
  words[lang][key].replace(/\{(\w+)\}/g, (_, name) => args[name] ?? "");

// el("button", {type: "button", onclick: f, disabled: false}, "text", element, …).
// Strings become text, never HTML; false, null and undefined leave an attribute out.
const make = (node, attributes, children) => {
  for (const [key, value] of Object.entries(attributes ?? {}))
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value != null && value !== false)
      node.setAttribute(key, value === true ? "" : value);
  node.append(...children.flat().filter((child) => child != null && child !== false));
  return node;
};
export const el = (tag, attributes, ...children) =>
  make(document.createElement(tag), attributes, children);
export const button = (text, onclick, more) =>
  el("button", { type: "button", class: "tw-button", onclick, ...more }, text);
export const svg = (tag, attributes, ...children) =>
  make(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// A text whose symbols are what symbol(text) makes of them; dQ, K1 and B_r are symbols too.
export const spell = (text, symbol) =>
  text.split(/(\b(?:(?:d?[QKVOSP]|m)\d*|B_[rc]|[cdijN])\b|[ℓδτ]\d*)/)
    .map((x, n) => (n % 2 ? symbol(x) : x)).flat();

// A sentence for screen readers alone, spoken when they are free.
let region;
export const announce = (text) => {
  if (!region) document.body.append((region = el("div", { class: "tw-aside", role: "status" })));
  region.textContent = text;
};

export const debounce = (f, wait = 150) => {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...args), wait);
  };
};

// A number from Python as text: at most `digits` significant ones, a real minus sign.
const NAMES = { inf: "∞", "-inf": "−∞", nan: "NaN" };
export const number = (x, digits = 4) =>
  NAMES[x] ?? String(+x.toPrecision(digits)).replaceAll("-", "−");

export const words = {
  en: {
    "empty": "type at least one number.",
    "too-long": "longer than {most} characters.",
    "not-a-number": "“{token}” is not a number.",
    "not-finite": "“{token}” is not a finite number.",
    "not-whole": "“{token}” is not a whole number.",
    "not-a-choice": "“{token}” is not one of the choices.",
    "out-of-range": "“{token}” is not between {least} and {most}.",
    "below": "“{token}” is below {least}.",
    "above": "“{token}” is above {most}.",
    "too-many": "{n} numbers; at most {most} fit here.",
    "too-many-rows": "{n} rows; at most {most} fit here.",
    "too-many-cols": "{n} columns; at most {most} fit here.",
    "ragged": "row {row} has {n} numbers, the first row has {first}.",
    "overflow": "the computation leaves the range of float64.",
    "too-much": "the computation needs more memory than a page has.",
    "too-slow": "stopped: it took longer than {most} seconds.",
    "stopped": "stopped.",
    "no-runtime": "Python could not be loaded.",
    "broken": "Python broke off; the next run starts it afresh.",
    "other": "{text}",
    colon: ": ",
  },
  zh: {
    "empty": "请至少输入一个数。",
    "too-long": "超过 {most} 个字符。",
    "not-a-number": "“{token}”不是数。",
    "not-finite": "“{token}”不是有限的数。",
    "not-whole": "“{token}”不是整数。",
    "not-a-choice": "“{token}”不在可选项之中。",
    "out-of-range": "“{token}”不在 {least} 到 {most} 之间。",
    "below": "“{token}”小于 {least}。",
    "above": "“{token}”大于 {most}。",
    "too-many": "有 {n} 个数，这里最多放 {most} 个。",
    "too-many-rows": "有 {n} 行，这里最多放 {most} 行。",
    "too-many-cols": "有 {n} 列，这里最多放 {most} 列。",
    "ragged": "第 {row} 行有 {n} 个数，第 1 行有 {first} 个。",
    "overflow": "计算超出了 float64 的范围。",
    "too-much": "计算所需的内存超出了网页的限度。",
    "too-slow": "已停止：运行超过了 {most} 秒。",
    "stopped": "已停止。",
    "no-runtime": "Python 加载失败。",
    "broken": "Python 意外中断，下次运行会重新启动。",
    "other": "{text}",
    colon: "：",
  },
};

// The sentence for a problem from Python or from the runtime: {code, field, …}. `fields`
// names the fields in the page's language; without a name the sentence stands alone.
export const problem = (found, fields = {}) => {
  const args = { text: found.code, ...found };
  for (const key of ["least", "most"]) if (args[key]) args[key] = number(args[key], 12);
  let { code } = found;
  if (!words[lang][code]) code = "other";
  if (code === "out-of-range" && found.most == null) code = "below";
  if (code === "out-of-range" && found.least == null) code = "above";
  const text = say(words, code, args);
  const name = fields[found.field];
  return name ? name + words[lang].colon + text : text.charAt(0).toUpperCase() + text.slice(1);
};
