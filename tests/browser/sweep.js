// What the sweep asks of a page, in one state of its window. Every function of `sweep`
// that looks gives a list of findings, each a line of text.
(() => {
  const NEAR = 1.5; // px, for what rounding does
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const name = (one) =>
    one.cloneNode(false).outerHTML.replace(/<\/[^>]*>$/, "").slice(0, 160);
  const style = (one) => getComputedStyle(one);
  const box = (one) => one.getBoundingClientRect();
  const findings = (what, list) => [...new Set(list.map((one) => `${what}: ${name(one)}`))];

  // In sight: not in a menu that is shut, not a label for screen readers alone.
  const drawn = (one) =>
    one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length > 0;
  const inside = (one) => {
    const { left, right } = box(one);
    return right > 0 && left < innerWidth;
  };
  const spoken = (one) => {
    for (let at = one; at !== document.body; at = at.parentElement) {
      const { width, height } = box(at);
      if ((width <= 1 || height <= 1) && style(at).overflow !== "visible") return true;
    }
    return false;
  };
  const seen = (one) =>
    drawn(one) && inside(one) && one.checkVisibility({ opacityProperty: true }) && !spoken(one);

  // The nearest around it, or itself, that scrolls sideways.
  const scroller = (one) => {
    for (let at = one; at !== document.body; at = at.parentElement)
      if (/auto|scroll/.test(style(at).overflowX) && at.scrollWidth > at.clientWidth + NEAR)
        return at;
    return null;
  };

  const sideways = () => {
    const { scrollWidth } = document.documentElement;
    if (scrollWidth <= innerWidth) return [];
    const out = all("body *").filter((one) => box(one).right > innerWidth + NEAR && !scroller(one));
    return [`the page is ${scrollWidth} px wide: ${out.slice(0, 3).map(name).join(" ")}`];
  };

  // The editor's copy of a text, below the field, scrolls with the field.
  const cut = () =>
    findings("text is cut off", all("body :not(svg *, pre:has(.tw-code) > code)").filter((one) => {
      const { overflowX, overflowY } = style(one);
      const hides = (how) => how === "hidden" || how === "clip";
      const wide = hides(overflowX) && one.scrollWidth > one.clientWidth + NEAR;
      const high = hides(overflowY) && one.scrollHeight > one.clientHeight + NEAR;
      return (wide || high) && one.textContent.trim() && seen(one);
    }));

  const outside = () =>
    all("svg text").filter((one) => {
      const [frame, text] = [box(one.ownerSVGElement), box(one)];
      const wide = text.left < frame.left - NEAR || text.right > frame.right + NEAR;
      const high = text.top < frame.top - 3 || text.bottom > frame.bottom + 3; // blank there
      return text.width && (wide || high) && drawn(one) && seen(one.ownerSVGElement);
    }).map((one) => `outside its drawing: ${one.textContent}`);

  const PARTS = "article :is(.katex-html, table, pre, pre > code, figure, svg, img)";
  const wide = () => {
    // a broad figure may lie over the column of contents too
    const [text, main] = [".md-content", ".md-main__inner"].map((x) => box(document.querySelector(x)));
    const shown = all(PARTS).filter((one) => box(one).width && seen(one));
    const frames = new Map(shown.map((one) => [one, scroller(one)]));
    const within = (one) => all("a[href], button, input, select", one).some(drawn);
    const deaf = [...frames.values()].filter((x) => x && x.tabIndex < 0 && !within(x));
    const out = shown.filter((one) => {
      const place = one.closest(".tw-broad") ? main : text;
      return !frames.get(one) &&
        (box(one).left < place.left - NEAR || box(one).right > place.right + NEAR);
    });
    return [...findings("scrolls, not by keyboard", deaf), ...findings("too wide", out)];
  };

  const headings = () => {
    const list = all("h1, h2, h3, h4, h5, h6").filter(drawn);
    const levels = list.map((one) => Number(one.tagName[1]));
    const deep = list.filter((_, at) => levels[at] > (levels[at - 1] ?? 0) + 1);
    const one = levels.filter((level) => level === 1).length === 1;
    return [...findings("skips a level", deep), ...(one ? [] : ["not one h1"])];
  };

  // Every copy button pressed: what it copies, beside what the block shows.
  const copies = () => {
    const wrong = [];
    let text = null;
    const take = ({ target }) => (text = target.value);
    document.addEventListener("copy", take);
    for (const block of all("article div.highlight:not(.tw-open)").filter(drawn)) {
      const buttons = all("button[data-clipboard-target]", block);
      const due = block.classList.contains("no-copy") ? 0 : 1;
      if (buttons.length !== due) wrong.push(`${buttons.length} copy buttons: ${name(block)}`);
      text = null;
      buttons.forEach((button) => button.click());
      const shown = block.querySelector("code").textContent.trimEnd();
      if (due && text !== shown) wrong.push(`copies ${JSON.stringify(text)} of ${shown}`);
    }
    document.removeEventListener("copy", take);
    return wrong;
  };

  // For axe, whose time goes by the number of elements: equations and figures keep size and
  // name (an equation in two lines is as wide as they are, and a comma may stand beside it);
  // of equal parts of code the first of each class stays, which has their colour; the menu
  // is looked at where it is the page, on the door. There the search stays as well: axe
  // takes its dialog for an open one, and says less of what is hidden around it.
  const strip = (menu) => {
    const equations = all(".katex-html").map((one) => [one, box(one)]);
    const wrong = all(".katex-html [style*=color]");
    for (const [one, { width, height }] of equations) {
      one.replaceChildren();
      const size = `max-width: calc(100% - 2em); width: ${width}px; height: ${height}px`;
      one.style.cssText = `display: inline-block; ${size}`;
    }
    for (const one of all(".katex-mathml")) one.textContent = one.textContent;
    for (const one of all("svg:not(:has([tabindex]))")) one.replaceChildren();
    const kept = new Set();
    for (const one of all("pre > code span")) {
      const kind = one.className + one.closest(".highlight")?.className;
      if (kept.has(kind)) one.replaceWith(...one.childNodes);
      kept.add(kind);
    }
    if (menu) all(".md-nav--primary .md-nav__list, .md-search").forEach((x) => x.remove());
    return findings("an equation with a colour of its own", wrong);
  };

  const looks = { sideways, cut, outside, wide, headings };
  const look = () => Object.values(looks).flatMap((check) => check());
  window.sweep = { ...looks, look, copies, strip, all, box, name, style, drawn, findings };
})();
