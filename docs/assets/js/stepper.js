// <tw-stepper>: the machine comes when it is in view or a scrolling reader comes near;
// where no script runs, the table of all steps stands in its place.

let sheet;
const styled = () =>
  (sheet ??= new Promise((done) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.onload = link.onerror = done;
    link.href = new URL("stepper.css", import.meta.url);
    document.head.append(link);
  }));

export class Stepper extends HTMLElement {
  connectedCallback() {
    if (this.watch) return;
    const near = (seen) => seen.some((x) => x.isIntersecting) && this.begin();
    const look = (rootMargin) => {
      this.watch?.disconnect();
      this.watch = new IntersectionObserver(near, { rootMargin });
      this.watch.observe(this);
    };
    look(location.search ? "800px" : "0px"); // an address may ask for a step
    const ahead = () => this.player || !this.isConnected || look("800px");
    addEventListener("scroll", ahead, { once: true, passive: true });
  }

  async begin() {
    this.watch.disconnect();
    const [{ Player }] = await Promise.all([import("./stepper_player.js"), styled()]);
    this.player ??= new Player(this);
  }
}

customElements.define("tw-stepper", Stepper);
