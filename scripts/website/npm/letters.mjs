// Tensors in an equation: \tensors{TeX} is TeX with a class around each letter that names
// one, its index included, and around the matrix of its numbers. The classes are those of
// docs/assets/tilewise.css. KaTeX parses, and this changes what it found.
const TENSOR = {
  Q: "q", K: "k", V: "v", S: "s", P: "s", O: "o", q: "q", k: "k", v: "v", o: "o",
  m: "m", "\\ell": "m", L: "m", "\\delta": "m",
};
const INDEXED = { s: "s", p: "s", x: "s" }; // without an index they mean other things too

const flat = (x) => (x?.type === "ordgroup" ? x.body.flatMap(flat) : x ? [x] : []);
const mode = "math";
const marked = (body, which) =>
  ({ type: "html", mode, attributes: { class: `tw-t${which}` }, body });

// Which tensor a node names: Q, Q_i, \tilde P_{ij}. One in braces of its own, {P}, does not.
const named = (node, index) => {
  if (node?.mode === "text") return;
  if (node?.type === "mathord" || node?.type === "textord")
    return TENSOR[node.text] ?? (index ? INDEXED[node.text] : undefined);
  if (node?.type === "accent") return named(node.base, index);
  if (node?.type === "supsub") return named(node.base, node.sub && flat(node.sub)[0].type !== "text");
};

// A list of nodes, marked. `seen` has the term that is left of the next "=", and whose
// numbers a matrix right of it holds; the cells of a row share it. S / \tau counts as S.
const EQUALS = ["=", "\\gets", "\\leftarrow"], IGNORED = ["/", "\\tau"];
const list = (nodes, seen) => {
  const out = [];
  nodes.forEach((node, n) => {
    const which = nodes[n + 1]?.text === "(" && node.text === "O" ? undefined : named(node);
    const d = which && out.at(-1)?.type === "font" && out.at(-1).body.text === "d";
    const matrix = node.type === "leftright" && node.body[0]?.type === "array" && seen.of;
    if (d) seen.term.pop();
    if (which) out.splice(d ? -1 : out.length, 1, marked(d ? [out.at(-1), node] : [node], which));
    else out.push(matrix ? marked([node], seen.of) : inside(node, seen));
    if (EQUALS.includes(node.text) && seen.term.length === 1) [seen.of] = seen.term;
    if (matrix || node.type === "spacing" || [",", ...EQUALS].includes(node.text)) seen.term = [];
    else if (!IGNORED.includes(node.text) && !["ordgroup", "styling", "kern"].includes(node.type))
      seen.term.push(which ?? (node.type === "genfrac" ? named(flat(node.numer)[0]) : undefined));
  });
  return out;
};
const fresh = () => ({ term: [] });
const group = (node) =>
  node && { type: "ordgroup", mode, body: list(node.type === "ordgroup" ? node.body : [node], fresh()) };

// What is no letter itself, with the letters in it marked. An index has none.
function inside(node, seen) {
  switch (node.type) {
    case "array":
      return { ...node, body: node.body.map((row) => list(row, fresh())) };
    case "genfrac":
      return { ...node, numer: group(node.numer), denom: flat(node.denom).length > 1 ? group(node.denom) : node.denom };
    case "supsub":
      return {
        ...node, base: node.base && inside(node.base, fresh()), sup: group(node.sup),
        sub: node.base?.type === "horizBrace" ? group(node.sub) : node.sub,
      };
    case "horizBrace": case "sqrt":
      return { ...node, [node.base ? "base" : "body"]: group(node.base ?? node.body) };
    case "ordgroup":
      return flat(node).length > 1 ? { ...node, body: list(node.body, seen) } : node;
    case "styling": { // a cell's content is a group
      const [cell] = node.body;
      const only = node.body.length === 1 && cell.type === "ordgroup";
      return { ...node, body: only ? [{ ...cell, body: list(cell.body, seen) }] : list(node.body, seen) };
    }
    case "leftright": case "text":
      return { ...node, body: list(node.body, fresh()) };
    default:
      return node;
  }
}

export const define = (katex) =>
  katex.__defineFunction({
    type: "tensors", names: ["\\tensors"], numArgs: 1,
    handler: (_, [{ body }]) =>
      ({ type: "ordgroup", mode, body: list(body, fresh()), semisimple: true }),
  });

// The HTML of an equation, its source without \tensors{…} around it.
export const unnamed = (html) =>
  html.replaceAll('"enclosing tw-', '"tw-').replace(/(<annotation[^>]*>)\\tensors\{(.*)\}(?=<\/annotation>)/s, "$1$2");
