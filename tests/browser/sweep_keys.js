// The sweep by keyboard: what takes the focus, in which order, and how that is seen.
// `sweep.watch()`, then Tab from the first stop to the last, or `walk()`, then `keys()`.
(() => {
  const { all, box, name, style, drawn, findings } = window.sweep;
  const STOPS = "a[href], button, input, select, textarea, summary, [tabindex]";
  const PARTS = ["outline", "boxShadow", "backgroundColor", "color", "borderColor"];
  PARTS.push("opacity", "textDecoration", "strokeWidth", "stroke");
  let stops, visited, plain, before;

  // Of a group of radio buttons one is a stop: the chosen one, or the first.
  const other = (one) => {
    if (one.type !== "radio" || !one.name) return false;
    const group = all(`input[name="${one.name}"]`);
    return one !== (group.find((x) => x.checked) ?? group[0]);
  };
  const expected = () =>
    all(STOPS).filter((x) => x.tabIndex >= 0 && !x.disabled && drawn(x) && !other(x));

  // How it looks, and what may show the focus in its place.
  const look = (one) => {
    const near = [one, one.parentElement, one.nextElementSibling];
    near.push(...(one.labels ?? []), ...[...one.children].slice(0, 3));
    return near.filter(Boolean).flatMap((x) => {
      const made = style(x);
      const line = made.outlineStyle === "none" || made.outlineWidth === "0px";
      return PARTS.map((part) => (part === "outline" && line ? "" : made[part]));
    }).join();
  };

  const watch = () => {
    const still = document.createElement("style");
    still.textContent = "*, ::before, ::after { transition: none !important }";
    document.head.append(still);
    [stops, visited, plain] = [expected(), [], []];
    document.addEventListener("focusin", ({ target }) => {
      visited.push(target);
      before = look(target);
    });
    document.addEventListener("focusout", ({ target }) => {
      if (target === visited.at(-1) && look(target) === before) plain.push(target);
    });
    document.activeElement.blur();
    stops[0].focus();
    return stops.length;
  };
  const walk = () => {
    Worker.prototype.postMessage = () => {}; // Python starts on the page's twin
    stops.forEach((one) => one.focus());
  };
  const done = () => document.activeElement === stops.at(-1);

  // Down the page as in the source; a stop that is above the one before is beside it.
  const order = (list) =>
    list.filter((one, at) => {
      const last = list[at - 1];
      if (!last) return false;
      if (last.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING) return true;
      if (!one.closest("article") || !last.closest("article") || one.closest("svg")) return false;
      const [a, b] = [box(last), box(one)];
      return b.bottom < a.top && b.left < a.right && b.right > a.left;
    });

  // Backwards, where the page scrolls up and the header would cover what it scrolls to.
  const covered = () =>
    stops.toReversed().filter((one) => {
      one.focus();
      if (!one.closest(".md-container") || !drawn(one)) return false;
      const { top, bottom, left, right } = box(one);
      const head = box(document.querySelector(".md-header")).bottom;
      const fits = bottom - top < innerHeight - head && one.localName !== "textarea";
      const out = bottom < head + 8 || top > innerHeight - 8 || right < 1 || left > innerWidth - 1;
      return document.activeElement === one && (out || (fits && top < head - 1));
    });

  const LIKE = "label[for]:not([for=__search]), [role=button], [role=link], [role=tab]";
  const keys = () => {
    const reached = new Set(visited);
    const asks = (one) => (one.control ? [one.control, ...all("input[type=radio]")] : [one]);
    const dead = all(LIKE).filter((one) => drawn(one) && one.textContent.trim() + one.innerHTML)
      .filter((one) => !asks(one).some((x) => x.tabIndex >= 0 && drawn(x)));
    return [
      ...findings("no keyboard reaches it", stops.filter((one) => !reached.has(one))),
      ...findings("for the mouse alone", dead),
      ...findings("the focus does not show", plain),
      ...findings("out of order", order(visited.filter((x, at) => visited.indexOf(x) === at))),
      ...findings("the focus is out of sight", covered()),
    ];
  };
  Object.assign(window.sweep, { watch, walk, done, keys });
})();
