// [[font, characters, options], …] as JSON on stdin; on stdout, in base64, the same fonts
// with these characters alone, as woff2. WebAssembly: the same bytes on every machine.
import { readFileSync } from "node:fs";
import subset from "subset-font";

const answer = [];
for (const [path, text, options] of JSON.parse(readFileSync(0, "utf8"))) {
  const made = await subset(readFileSync(path), text, { ...options, targetFormat: "woff2" });
  answer.push(made.toString("base64"));
}
console.log(JSON.stringify(answer));
