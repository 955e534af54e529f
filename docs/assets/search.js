// Runs before the theme's own script, which asks for the index of the search at once. The
// index weighs more than a page, so that request waits until a reader turns to the search.
const turned = new Promise((resolve) => {
  const field = document.forms.namedItem("search");
  if (!field || /[?&][hq]=/.test(location.search)) resolve(); // results, or words to mark
  for (const kind of ["focusin", "pointerover"]) field?.addEventListener(kind, resolve);
  document.getElementById("__search")?.addEventListener("change", resolve);
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
