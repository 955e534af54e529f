// [[tex, display], …] as JSON on stdin; [html, …] or {tex, error} as JSON on stdout.
import { readFileSync } from "node:fs";
import katex from "katex";

const macros = {
  "\\softmax": "\\operatorname{softmax}",
  "\\rowmax": "\\operatorname{rowmax}",
  "\\rowsum": "\\operatorname{rowsum}",
  "\\diag": "\\operatorname{diag}",
  "\\T": "^{\\mathsf T}",
};
const options = { throwOnError: true, strict: "error", output: "htmlAndMathml", trust: false };

const answer = [];
for (const [tex, displayMode] of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    answer.push(katex.renderToString(tex, { ...options, displayMode, macros: { ...macros } }));
  } catch (error) {
    console.log(JSON.stringify({ tex, error: error.message }));
    process.exit();
  }
}
console.log(JSON.stringify(answer));
