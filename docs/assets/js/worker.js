// MicroPython beside the page: a loop without end here leaves the page alive.
import { loadMicroPython } from "../micropython/micropython.js";

const MOST = 20000; // characters of output that are kept
const OFTEN = 50; // milliseconds between two messages with output
const there = (path) => new URL(`../${path}`, import.meta.url).href;

let job, bytes, decoder, sent, left, cut;

const flush = () => {
  const text = decoder.decode(new Uint8Array(bytes), { stream: true });
  const part = text.slice(0, left);
  bytes = [];
  cut = part.length < text.length;
  left -= part.length;
  sent = performance.now();
  if (part && job.kind === "run") postMessage({ id: job.id, part });
};

// Called for each byte that is printed.
const write = ([byte]) => {
  if (cut || !job) return;
  bytes.push(byte);
  if (bytes.length > MOST || (byte === 10 && performance.now() - sent > OFTEN)) flush();
};

const boot = async () => {
  const [files, python] = await Promise.all([
    fetch(there("python.json")).then((answer) => answer.json()),
    loadMicroPython({
      url: there("micropython/micropython.wasm"),
      heapsize: 2 ** 25,
      linebuffer: false,
      stdout: write,
      stderr: write,
    }),
  ]);
  for (const [path, text] of Object.entries(files)) {
    python.FS.mkdirTree(`/lib/${path.slice(0, path.lastIndexOf("/") + 1)}`);
    python.FS.writeFile(`/lib/${path}`, text);
  }
  python.runPython("from tilewise.live import micropython\nmicropython.install()");
  postMessage({ ready: true });
  return python;
};

const PROGRAMS = {
  ask: "from tilewise.live import answer as f\nmade = f(text)",
  run: "import json\nfrom tilewise.live.runner import run as f\nmade = json.dumps(f(text))",
};

const work = (python) => {
  [bytes, decoder, left, cut] = [[], new TextDecoder(), MOST, false];
  const begun = (sent = performance.now());
  python.globals.set("text", job.text);
  python.runPython(PROGRAMS[job.kind]);
  const seconds = (performance.now() - begun) / 1000;
  if (!cut) flush();
  const answer = python.globals.get("made");
  const error = job.kind === "run" && JSON.parse(answer);
  postMessage({ id: job.id, answer, error, cut, seconds });
};

const loading = boot().catch(() => postMessage({ code: "no-runtime" }));

onmessage = async ({ data }) => {
  const python = await loading;
  if (!python) return;
  job = data;
  try {
    work(python);
  } catch {
    postMessage({ code: "broken" });
  }
};
