// The `words` of each module of docs/assets/js, as JSON. There is no page here: whatever a
// module asks of one while it is loaded is answered by something that does nothing.
const nothing = new Proxy(function () {}, {
  get: (_, key) => {
    if (key === Symbol.toPrimitive) return () => "";
    if (key === Symbol.iterator) return function* () {};
    return nothing;
  },
  apply: () => nothing,
  construct: () => nothing,
  set: () => true,
});
for (const name of ["document", "window", "matchMedia", "addEventListener", "location"])
  globalThis[name] = nothing;
Object.defineProperty(globalThis, "navigator", { value: nothing, configurable: true });
globalThis.localStorage = globalThis.customElements = globalThis.MutationObserver = nothing;
globalThis.ResizeObserver = globalThis.IntersectionObserver = nothing;
globalThis.HTMLElement = class {};

const made = {};
for (const path of process.argv.slice(2)) {
  const { words } = await import(path);
  made[path] = JSON.parse(JSON.stringify(words ?? null, (_, x) =>
    typeof x === "function" ? String(x) : x));
}
process.stdout.write(JSON.stringify(made), () => process.exit(0));
