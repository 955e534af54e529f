// Pointing at a number of the tile machine, by mouse, finger or keyboard: the panel says
// where it comes from.
import { announce } from "./page.js";

// Listens on the stage; panels() are those on it. Returns walk(table, by), which moves the
// cursor of a matrix by some cells.
export const pointing = (stage, panels) => {
  const look = (cell, aloud) => {
    for (const one of panels()) {
      const here = cell?.place && one.node.contains(cell);
      const said = one.look(here ? cell.place : null);
      if (here && aloud) announce(said);
    }
  };
  const cursor = (table, by = 0) => {
    const cells = [...table.querySelectorAll("td")];
    table.cursor = Math.max(0, Math.min(cells.length - 1, (table.cursor ?? 0) + by));
    return cells[table.cursor];
  };
  const on = (type, f) => stage.addEventListener(type, ({ target, pointerType }) =>
    f(target, pointerType));
  on("pointerover", (target) => look(target.closest("td")));
  // a finger that is lifted leaves too, but has pointed
  on("pointerleave", (_, by) => by !== "touch" && look(null));
  on("focusin", (target) => target.matches("table:focus-visible") && look(cursor(target)));
  on("focusout", (target) => target.matches("table") && look(null));
  return (table, by) => look(cursor(table, by), true);
};
