// [[tex, display, coloured], …] as JSON on stdin; [html, …] or {tex, error} as JSON on stdout.
import { readFileSync } from "node:fs";
import katex from "katex";
import { define, unnamed } from "./letters.mjs";

define(katex);
const macros = {
  "\\softmax": "\\operatorname{softmax}",
  "\\rowmax": "\\operatorname{rowmax}",
  "\\rowsum": "\\operatorname{rowsum}",
  "\\diag": "\\operatorname{diag}",
  "\\T": "^{\\mathsf T}",
};
const options = { throwOnError: true, strict: "error", output: "htmlAndMathml", trust: false };

const answer = [];
for (const [tex, displayMode, coloured] of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    const given = { ...options, displayMode, macros: { ...macros } };
    answer.push(coloured ? unnamed(katex.renderToString(`\\tensors{${tex}}`, given)) : katex.renderToString(tex, given));
  } catch (error) {
    console.log(JSON.stringify({ tex, error: error.message }));
    process.exit();
  }
}
console.log(JSON.stringify(answer));
