// One JSON line in, [[tex, display], …]; one JSON line out, [html, …] or {error}.
import { createInterface } from "node:readline";
import katex from "katex";

const macros = {
  "\\softmax": "\\operatorname{softmax}",
  "\\rowmax": "\\operatorname{rowmax}",
  "\\rowsum": "\\operatorname{rowsum}",
  "\\diag": "\\operatorname{diag}",
  "\\T": "^{\\mathsf T}",
};
const options = { throwOnError: true, strict: "error", output: "htmlAndMathml", trust: false };

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = JSON.parse(line).map(([tex, displayMode]) =>
      katex.renderToString(tex, { ...options, displayMode, macros: { ...macros } }));
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
