// Runs calls under MicroPython, as the page does: {files, program, calls} in JSON on
// standard input, their results in JSON on standard output.
import { readFileSync } from "node:fs";

const { package: folder, files, program, calls } = JSON.parse(readFileSync(0, "utf-8"));
const { loadMicroPython } = await import(`${folder}/micropython.mjs`);
const heapsize = 32 * 1024 * 1024; // as in docs/assets/js/worker.js
const python = await loadMicroPython({ heapsize, stdout: () => {} });
for (const [path, text] of Object.entries(files)) {
  python.FS.mkdirTree(`/lib/${path.slice(0, path.lastIndexOf("/") + 1)}`);
  python.FS.writeFile(`/lib/${path}`, text);
}
python.runPython("from tilewise.live import micropython\nmicropython.install()");
python.runPython(program);
const made = calls.map((text) => {
  python.globals.set("text", text);
  python.runPython("made = called(text)");
  return python.globals.get("made");
});
process.stdout.write(JSON.stringify(made), () => process.exit(0));
