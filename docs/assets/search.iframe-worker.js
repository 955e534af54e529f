// Two things for the search, done before the theme's own script starts. The theme asks for
// the index at once, which weighs more than a page: that waits until a reader turns to the
// search, or follows a result, where words are to be marked.
const turned = new Promise((resolve) => {
  if (/[?&][hq]=/.test(location.search)) resolve();
  const search = "[data-md-component=search], [for=__search], #__search";
  for (const kind of ["focusin", "pointerover", "change"])
    document.addEventListener(kind, ({ target }) => target.closest?.(search) && resolve());
});
const { open, send } = XMLHttpRequest.prototype;
XMLHttpRequest.prototype.open = function (method, url, ...rest) {
  this.index = `${url}`.endsWith("/search/search_index.json");
  open.call(this, method, url, ...rest);
};
XMLHttpRequest.prototype.send = function (...body) {
  if (this.index) turned.then(() => send.apply(this, body));
  else send.apply(this, body);
};

// From a folder a browser starts no worker: there the search runs in a frame instead.
class FrameWorker extends EventTarget {
  constructor(url) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    const tell = (to, data) =>
      to.dispatchEvent(new MessageEvent("message", { data: structuredClone(data) }));
    const load = (src) =>
      new Promise((onload, onerror) => {
        const { contentDocument: page } = frame;
        const script = Object.assign(page.createElement("script"), { src, onload, onerror });
        page.body.append(script);
      });
    const one = (before, src) => before.then(() => load(src));
    const ready = new Promise((done) => frame.addEventListener("load", done, { once: true }));
    document.body.append(frame);
    const started = ready.then(() => {
      frame.contentWindow.importScripts = (...urls) => urls.reduce(one, Promise.resolve());
      frame.contentWindow.postMessage = (data) => tell(this, data);
      return load(url);
    });
    this.postMessage = (data) => started.then(() => tell(frame.contentWindow, data));
  }
}
// by the second name the theme's worker knows that it is in a frame
if (location.protocol === "file:") window.Worker = window.IFrameWorker = FrameWorker;
