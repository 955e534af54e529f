// The theme adds a copy bar to each code block and gives every one the same role:
// number them, so that screen readers can tell them apart.
const copy = document.documentElement.lang === "zh" ? "代码" : "Code";
let count = 0;
const name = () => {
  for (const bar of document.querySelectorAll("nav.md-code__nav:not([aria-label])"))
    bar.setAttribute("aria-label", `${copy} ${++count}`);
};
new MutationObserver(name).observe(document.body, { childList: true, subtree: true });
name();
