// An SVG on stdin, a PNG on stdout. Fonts: KaTeX's, none of this machine's, so that the
// same bytes come out everywhere; WebAssembly, for the same reason.
import { readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { initWasm, Resvg } from "@resvg/resvg-wasm";

const find = createRequire(import.meta.url).resolve;
const names = ["Main-Regular", "Math-Italic", "SansSerif-Regular", "SansSerif-Bold"];
const fontBuffers = names.map((name) => readFileSync(find(`katex/dist/fonts/KaTeX_${name}.ttf`)));
await initWasm(readFileSync(find("@resvg/resvg-wasm/index_bg.wasm")));
const font = { fontBuffers, defaultFontFamily: "KaTeX_SansSerif", sansSerifFamily: "KaTeX_SansSerif" };
const png = new Resvg(readFileSync(0, "utf8"), { font }).render().asPng();
for (let at = 0; at < png.length; ) at += writeSync(1, png, at);
