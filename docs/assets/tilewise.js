// Of every page, as the search's script. Two things that the theme leaves without help for some
// readers: copy bars, all with the same role (numbered here), and wide tables and equations
// that scroll on a phone (made reachable by keyboard).
const { lang } = document.documentElement;
const copy = lang === "zh" ? "代码" : "Code";
const WIDE = ":is(.md-typeset__scrollwrap, div.arithmatex, .tw-speeds):not([tabindex])";
let count = 0;
const help = () => {
  for (const bar of document.querySelectorAll("nav.md-code__nav:not([aria-label])"))
    bar.setAttribute("aria-label", `${copy} ${++count}`);
  for (const wide of document.querySelectorAll(WIDE))
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
};
// Not for what the tile machine draws, sixty times a second: to ask for a width costs a layout.
const drawn = ({ target }) => target.closest("tw-stepper");
const news = (records) => records.every(drawn) || help();
new MutationObserver(news).observe(document.body, { childList: true, subtree: true });
addEventListener("resize", help);
document.fonts.addEventListener("loadingdone", help);
help();

// The colours: the system's, light or dark, as the theme's switch has it. Its script has the
// whole page styled four times while it loads; twPaint stands in the page and did so once.
const schemes = [...document.querySelectorAll("[name=__palette]")];
const labels = schemes.map((one) => one.nextElementSibling);
const system = matchMedia("(prefers-color-scheme: dark)");
let next; // choice 0 is the system's, 1 light, 2 dark: the one that changes what is seen
const show = (chosen) => {
  twPaint();
  const dark = document.body.dataset.mdColorScheme === "slate";
  next = schemes[dark === system.matches ? (dark ? 1 : 2) : 0];
  schemes.forEach((one, index) => {
    one.checked = index === chosen;
    labels[index].hidden = index !== (dark ? 2 : 1);
    labels[index].htmlFor = next.id;
    one.ariaLabel = labels[dark ? 2 : 1].title;
  });
};
schemes.forEach((one, index) => {
  one.addEventListener("keydown", ({ key }) => {
    if (key !== "Enter") return;
    const to = next;
    to.click();
    to.focus();
  });
  one.addEventListener("change", () => {
    __md_set("__palette", { index });
    show(index);
  });
});
const chosen = () => __md_get("__palette")?.index ?? 0;
show(chosen());
system.addEventListener("change", () => show(chosen()));

// The other language at the section that is being read.
const other = document.querySelector(".tw-switch");
other?.addEventListener("click", () => {
  const above = (one) => one.getBoundingClientRect().top < 160;
  const here = [...document.querySelectorAll("article h2[id]")].filter(above).at(-1);
  other.hash = here ? here.id : location.hash;
});

// On the front page the menu of a narrow window opens with all parts, not within the first.
if (document.querySelector(".tw-home"))
  for (const one of document.querySelectorAll(".md-nav--primary .md-nav__toggle:checked"))
    one.checked = false;

// A function's anchor that is on another page now: a link to its module leads there.
const moved = location.hash.slice(1);
if (moved.startsWith("tilewise.") && !document.getElementById(moved)) {
  const module = (one) => `${moved}.`.startsWith(`${one.hash.slice(1)}.`);
  const links = [...document.querySelectorAll("article a[href*='#tilewise.']")].filter(module);
  const to = links.sort((a, b) => a.hash.length - b.hash.length).at(-1);
  if (to) location.replace(`${to.href.split("#")[0]}#${moved}`);
}

// And the module of each widget on the page, from the site's root for all languages. From
// a folder browsers load no modules: what stands in a widget's place stays, and says so.
const WIDGETS = [
  [".tw-run", "listing"],
  ["tw-stepper", "stepper"],
  ["tw-strip", "strip"],
  ["tw-calculator", "calculator"],
  ["tw-exercise", "exercise"],
  ["tw-progress", "progress"],
  ["tw-measured", "measured"],
  ["tw-race", "race"],
  ["tw-timeline", "timeline"],
];
const home = new URL(lang === "en" ? "." : "../../assets/", document.currentScript.src);
const here = WIDGETS.filter(([name]) => document.querySelector(name));
if (location.protocol === "file:") {
  for (const one of document.querySelectorAll(WIDGETS.slice(1).map(([name]) => name))) {
    const note = Object.assign(document.createElement("p"), { className: "tw-note" });
    note.textContent = lang === "en"
      ? "This part works when the site comes from a server, such as python -m http.server."
      : "从文件夹直接打开时，这一部分不能操作；请先启动服务器，例如 python -m http.server，再从浏览器访问。";
    one.prepend(note);
  }
} else if (here.length) {
  // A module comes when its element is near, or at once where the address says more.
  const near = { rootMargin: location.search || location.hash ? "9999%" : "100px" };
  const watch = (name, module) => {
    const seen = new IntersectionObserver((found) => {
      if (!found.some((one) => one.isIntersecting)) return;
      seen.disconnect();
      import(new URL(`js/${module}.js`, home));
    }, near);
    for (const one of document.querySelectorAll(name)) seen.observe(one);
  };
  const start = () => here.forEach((one) => watch(...one));
  const href = `${new URL("widgets.css", home)}`;
  // a page of listings alone has no such sheet: it need not wait for it
  if ([...document.styleSheets].some((sheet) => sheet.href === href)) start();
  else {
    const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
    sheet.onload = start;
    document.head.append(sheet);
  }
}

// What the glossary says of a term, in a card at its link: for a pointer that rests on it, or
// the focus. All cards come in one script with the first, so that they work in a folder too.
const TERM = "article a[href*='glossary.html#']";
const card = Object.assign(document.createElement("div"), { id: "tw-card", hidden: true });
card.role = "tooltip";
const source = new URL("terms.js", document.currentScript.src);
let terms, timer, term;
const hide = () => {
  card.hidden = true;
  term = term?.removeAttribute("aria-describedby");
};
const showCard = (link) => {
  clearTimeout(timer);
  if (link === term) return;
  hide();
  const parts = terms[link.hash.slice(1)];
  if (!parts) return;
  term = link;
  card.replaceChildren(...parts.map((part) => part.trim ? part
    : Object.assign(document.createElement(part[0]), { textContent: part[1] })));
  card.hidden = false;
  const box = [...link.getClientRects()].at(-1);
  const below = box.bottom + card.offsetHeight < innerHeight;
  const left = Math.min(box.left, document.documentElement.clientWidth - card.offsetWidth - 12);
  card.style.left = `${Math.max(12, left) + scrollX}px`;
  card.style.top = `${(below ? box.bottom : box.top - card.offsetHeight) + scrollY}px`;
  link.setAttribute("aria-describedby", card.id);
};
const wants = (link, wait) => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (terms) return showCard(link);
    window.twTerms = (found) => {
      terms = found;
      document.querySelector("main").append(card);
      showCard(link);
    };
    document.head.append(Object.assign(document.createElement("script"), { src: source }));
  }, wait);
};
const leave = () => {
  clearTimeout(timer);
  timer = setTimeout(hide, 200);
};
// A finger's first touch shows the card, and a second one follows the link.
let tap;
// A letter of an equation that is pointed at outlines its tensor in the page's figures.
const { dataset: content } = document.querySelector(".md-content");
document.addEventListener("pointerover", ({ target, pointerType }) => {
  const link = target.closest(TERM);
  tap = pointerType === "touch" && link !== tap && link;
  if (link) tap || wants(link, 150);
  else if (card.contains(target)) clearTimeout(timer);
  else leave();
  const [, lit] = /tw-t(\w)\b/.exec(target.closest(".katex [class*='tw-t']")?.className) ?? [];
  if (lit !== content.twLit) lit ? (content.twLit = lit) : delete content.twLit;
});
document.addEventListener("click", (event) => {
  if (!tap || event.target.closest(TERM) !== tap) return;
  event.preventDefault();
  wants(tap, 0);
});
document.addEventListener("focusin", ({ target }) => target.matches(TERM) && wants(target, 0));
document.addEventListener("focusout", ({ target }) => target.matches(TERM) && leave());
document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());

// Pages that were read to their end and exercises that were solved, kept in this browser only:
// ticks and counts in the menu, a filled tile on the front page. Both languages have the same
// paths below their root.
const [READ, EXERCISES] = ["tilewise-read", "tilewise-exercises"];
const config = JSON.parse(document.querySelector("#__config").textContent);
const base = new URL(`${config.base}/`, location);
const path = (url) => new URL(url).pathname.slice(base.pathname.length) || "index.html";
const kept = (key) => {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? [];
  } catch {
    return []; // nothing of ours
  }
};
const read = () => new Set([kept(READ)].flat());
const MENU = ".md-nav--primary a.md-nav__link:not([href^='#'])";
const say = (link, text, said) => {
  const { dataset } = link.querySelector(".md-ellipsis");
  if (said) dataset.twCount = text;
  else delete dataset.twCount;
};
const tick = () => {
  const all = read();
  const links = [...document.querySelectorAll(`${MENU}, .tw-book a`)];
  for (const link of links) link.classList.toggle("tw-read", all.has(path(link.href)));
  for (const part of document.querySelectorAll(".md-nav--primary > ul > li")) {
    const pages = [...part.querySelectorAll(MENU)];
    const done = pages.filter((link) => link.classList.contains("tw-read")).length;
    say(part.querySelector("label"), done < pages.length ? `${done}/${pages.length}` : "✓", done);
  }
  const exercises = kept(EXERCISES);
  const solved = Object.values(exercises).filter((one) => one?.solved).length;
  for (const link of document.querySelectorAll("a[href*='exercises.html'], .md-nav a[href^='#']")) {
    if (!path(link.href).endsWith("reference/exercises.html")) continue;
    const { solved: done } = exercises[link.hash.slice(1).replaceAll("-", "_")] ?? {};
    link.classList.toggle("tw-solved", !!done);
    if (link.matches(MENU)) say(link, `${solved} ✓`, solved);
  }
  const tiles = links.filter((link) => link.closest(".tw-book"));
  const count = document.querySelector(".tw-count");
  if (!count) return;
  const k = tiles.filter((link) => link.classList.contains("tw-read")).length;
  count.hidden = !k;
  count.textContent = count.dataset.say.replace("{k}", k).replace("{n}", tiles.length);
};
new IntersectionObserver(([{ isIntersecting }]) => {
  const here = path(location.href);
  const all = read();
  if (!isIntersecting || all.has(here) || !document.querySelector("a.md-nav__link--active")) return;
  try {
    localStorage.setItem(READ, JSON.stringify([...all.add(here)]));
  } catch {} // a browser that keeps nothing
  tick();
}).observe(document.querySelector(".md-footer"));
addEventListener("storage", tick); // another tab
addEventListener(EXERCISES, tick);
tick();

// At a wrong address, the pages whose names share the most pairs of letters with it.
const near = document.querySelector(".tw-near");
if (near) {
  const pairs = (text) => new Set([...text.matchAll(/(?=([a-z]{2}))/g)].map((x) => x[1]));
  const last = (text) => pairs(text.split("/").pop().replace(".html", ""));
  const wanted = last(location.pathname.toLowerCase());
  const like = (link) => {
    const own = last(new URL(link.href).pathname);
    const both = [...own].filter((pair) => wanted.has(pair)).length;
    return (2 * both) / (own.size + wanted.size || 1);
  };
  const links = [...document.querySelectorAll(".md-nav--primary li > a.md-nav__link")];
  const best = links.map((link) => [like(link), link]).filter(([x]) => x > 0.3);
  best.sort((a, b) => b[0] - a[0]);
  for (const [, { href, textContent }] of best.slice(0, 3)) {
    const link = Object.assign(document.createElement("a"), { href });
    link.textContent = textContent.trim();
    const item = document.createElement("li");
    item.append(link);
    near.querySelector("ul").append(item);
  }
  near.hidden = !best.length;
}
