// {name: script} as JSON on stdin, the same with short scripts on stdout. Those in js/ are
// modules; the others share a page with the theme, so each is a function of its own.
import { readFileSync } from "node:fs";
import { minify } from "terser";

const made = {};
for (const [name, text] of Object.entries(JSON.parse(readFileSync(0, "utf8")))) {
  const module = name.startsWith("js/");
  const options = { ecma: 2020, module, enclose: !module, compress: { passes: 3 } };
  made[name] = (await minify(text, options)).code;
}
console.log(JSON.stringify(made));
