/* <live-figure>: a figure on the static page, with the model that anywidget gives it in a notebook.

   A figure is drawn when its place comes near (the page's first one at once). Where it cannot be, the
   still picture inside the noscript element is shown. */
import { fromHash, toHash } from "./state.js";

const NEAR = "800px";
let brought; // a function for each figure, which brings its module

/** anywidget's model, as far as a figure needs it. */
class Model extends EventTarget {
  constructor(values) {
    super();
    this.values = values;
  }

  get(key) { return this.values[key]; }

  set(key, to) {
    this.values[key] = to;
    this.dispatchEvent(new Event(`change:${key}`));
  }

  /** The figure has said all it had to say. */
  save_changes() { this.dispatchEvent(new Event("saved")); }

  on(name, call) { this.addEventListener(name, call); }

  off(name, call) { this.removeEventListener(name, call); }
}

class LiveFigure extends HTMLElement {
  connectedCallback() {
    if (this.model) return;
    const data = JSON.parse(this.dataset.rows ?? "null");
    this.model = new Model({ data, state: this.named() ?? {} });
    this.model.on("saved", () => this.keep());
    window.addEventListener("hashchange", () => this.follow());
    window.addEventListener("beforeprint", () => { if (!this.shown) this.still(); });
    if (this.named()) this.start().then(() => this.scrollIntoView({ block: "start" }));
    else if (document.querySelector("live-figure") === this) this.start();
    else this.wait();
  }

  wait() {
    const observer = new IntersectionObserver(entries => {
      if (!entries.some(entry => entry.isIntersecting)) return;
      observer.disconnect();
      this.start();
    }, { rootMargin: NEAR });
    observer.observe(this);
  }

  start() { return this.started ??= this.render(); }

  async render() {
    try {
      const { default: figure } = await brought[this.dataset.module]();
      figure.render({ model: this.model, el: this.appendChild(document.createElement("div")) });
      this.shown = true;
      this.querySelector(".live-still")?.remove();
    } catch (problem) {
      this.still();
      throw problem;
    }
  }

  /** Show the picture that a reader without scripts sees. */
  still() {
    if (this.querySelector(".live-still")) return;
    const place = document.createElement("div");
    place.className = "live-still";
    place.innerHTML = this.querySelector("noscript").textContent;
    this.append(place);
  }

  named() { return fromHash(this.id, window.location.hash); }

  /** Another address of this page may name another state. */
  follow() {
    const words = this.named();
    if (!words) return;
    this.model.set("state", words);
    this.start().then(() => this.scrollIntoView({ block: "start" }));
  }

  keep() {
    const hash = toHash(this.id, this.model.get("state"));
    if (hash !== window.location.hash) window.history.replaceState(window.history.state, "", hash);
  }
}

/** Show the page's figures: `{ "ch1/growth": () => import("./ch1/live/growth.js") }`. */
export function host(figures) {
  brought = figures;
  window.customElements.define("live-figure", LiveFigure);
}
