// Two things that the theme makes in the page and leaves without help for some readers:
// copy bars, all with the same role (numbered here), and wide tables that scroll on a
// phone (made reachable by keyboard).
const copy = document.documentElement.lang === "zh" ? "代码" : "Code";
let count = 0;
const help = () => {
  for (const bar of document.querySelectorAll("nav.md-code__nav:not([aria-label])"))
    bar.setAttribute("aria-label", `${copy} ${++count}`);
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])"))
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
};
new MutationObserver(help).observe(document.body, { childList: true, subtree: true });
addEventListener("resize", help);
help();
