// Python for the page: one worker, made when it is first asked for, one job at a time.
// What runs too long, or is stopped, ends with the worker; the next job gets a new one.

const LIMITS = { ask: 10, run: 30 }; // seconds, from the moment that Python is there
const LONGEST = 100000; // characters of a program
const queue = [];
let worker = null;
let ready = false;
let current = null;
let timer;
let jobs = 0;

const failure = (problem) => Object.assign(new Error(problem.code), { problem });

const watch = () => {
  const most = LIMITS[current.kind];
  timer = setTimeout(() => halt({ code: "too-slow", most }), 1000 * most);
};

const finish = () => {
  clearTimeout(timer);
  const job = current;
  current = null;
  queueMicrotask(next);
  return job;
};

// End the worker, and with it the job in hand.
const halt = (problem) => {
  worker?.terminate();
  worker = null;
  ready = false;
  if (current) finish().reject(failure(problem));
};

const heard = ({ data }) => {
  if (data.ready) {
    ready = true;
    if (current) watch();
  } else if (data.code) halt(data);
  else if (data.id !== current?.id) return;
  else if (data.part) current.show(data.part);
  else finish().resolve(data);
};

const next = () => {
  if (current || !queue.length) return;
  current = queue.shift();
  if (!worker) {
    worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    worker.onmessage = heard;
    worker.onerror = () => halt({ code: "no-runtime" });
  }
  const { id, kind, text } = current;
  worker.postMessage({ id, kind, text });
  if (ready) watch();
};

const send = (kind, text, show) => {
  const job = { id: ++jobs, kind, text, show };
  const promise = new Promise((resolve, reject) => Object.assign(job, { resolve, reject }));
  if (kind === "run" && text.length > LONGEST)
    job.reject(failure({ code: "too-long", most: LONGEST }));
  else queue.push(job);
  next();
  return Object.assign(promise, { job });
};

// What Python's tilewise.live answers to {ask: name, input}. The promise is rejected with
// an error that has .problem = {code, field, …}: see problem() in page.js for sentences.
export const ask = (name, input) => {
  const asking = send("ask", JSON.stringify({ ask: name, input }));
  const made = asking.then(({ answer }) => {
    const { result, problem } = JSON.parse(answer);
    if (problem) throw failure(problem);
    return result;
  });
  return Object.assign(made, { job: asking.job });
};

// Runs a program: {output, cut, error: {message, line} | null, seconds}. show(text) gets
// the output so far while it runs. Rejected with .problem where it is stopped.
export const run = (source, show = () => {}) => {
  let output = "";
  const running = send("run", source, (part) => show((output += part)));
  const made = running.then((answer) => ({ ...answer, output }));
  return Object.assign(made, { job: running.job });
};

// Whether Python is there, so that a job begins at once.
export const loaded = () => ready;

// Stops a promise of run() or ask(), or without one whatever runs now. Others wait on.
export const stop = (promise) => {
  const job = promise ? promise.job : current;
  const problem = { code: "stopped" };
  const waiting = queue.indexOf(job);
  if (waiting >= 0) queue.splice(waiting, 1)[0].reject(failure(problem));
  else if (job === current) halt(problem);
};
