/* What all live figures share: controls, drawings, the sentence that follows them, a table, a bet.

   A module has `export default figure({ … })`, which declares:
     label      what it is, in a few words
     question   what to predict before the first touch (or `bet`: a question whose answer the
                figure shows: reveal(state) are changes, one after the other, reply(bet, view of the
                last) the sentence after them, wait(bet) the one until then, `range` of its slider, if
                it is not a percentage; `bring`, if something has to come first, is
                { words, come: model => promise, wait: the sentence meanwhile })
     controls   from controls.js; `fields` are parts of the state without a control of their own
     actions    buttons: [words, state => changes]
     passage    { title, text: view => nodes and strings }, words below the drawings
     plots      [{ height, margin, draw(area, view), description(view) }]
     compute    state => view, all that the others are shown
     say        view => pieces of a sentence; [text] is a number that follows the controls,
                { calm } is one in the other colour, and { low } stands low
     table      view => { head, rows, note }
   The model is anywidget's: get, set, save_changes, on, off. */
import { make, slider } from "./controls.js";
import { Plot } from "./plot.js";
import { readState, writeState } from "./state.js";

const REST = 300; // ms between the steps of an answer, and until the sentence is spoken and the state kept
const SLOW = 150; // ms: if the last drawing took as long, the next one says first that it computes
let made = 0;

class Figure {
  constructor({ model, el }, spec) {
    made += 1;
    this.id = `live-${made}`;
    this.model = model;
    this.spec = spec;
    this.fields = [...spec.controls, ...(spec.fields ?? [])];
    this.plots = spec.plots.map(plot => new Plot(plot));
    this.build(el);
    this.load = () => this.read();
    model.on("change:state", this.load);
    this.read();
    // The first drawing waits until the browser has laid out the page, and asks for no layout more.
    this.watch = new ResizeObserver(entries => entries.forEach(entry => this.follow(entry)));
    for (const part of [this.row, ...this.words]) this.watch.observe(part);
  }

  // --------------------------------------------------------------------------- building

  build(el) {
    const { spec } = this;
    const change = (key, to) => this.change({ [key]: to });
    this.controls = spec.controls.map(one => ({ ...one.build(change, this.id), key: one.key }));
    this.sentence = make("p", { class: "live-say" });
    this.text = make("p", { class: "live-passage" });
    this.words = spec.passage ? [this.text, this.sentence] : [this.sentence];
    this.status = make("p", { class: "live-status", role: "status", "aria-live": "polite" });
    const actions = [...(spec.actions ?? []), ["Reset", () => null]].map(([words, act]) => {
      const button = make("button", { type: "button", class: "live-button" }, [words]);
      button.addEventListener("click", () => {
        const changes = act(this.state, this.view);
        if (changes) this.change(changes);
        else this.reset();
      });
      return button;
    });
    const parts = this.controls.map(one => one.element);
    const short = one => one.classList.contains("live-toggle"); // fits in a line with the buttons
    this.row = make("div", { class: "live-controls" }, [
      ...parts.filter(one => !short(one)), make("div", { class: "live-actions" }, [
        ...parts.filter(short), ...actions])]);
    this.root = make("div", { class: "live", role: "group", id: this.id,
      "aria-label": spec.label }, [
      ...(spec.bet ? [this.buildBet()] : []),
      ...(spec.question ? [make("p", { class: "live-question" }, [
        make("span", { class: "live-first" }, ["Predict first. "]), spec.question])] : []),
      ...(spec.passage ? [this.row] : []), // with words below them the drawings stand in the middle
      make("div", { class: "live-plots", "data-plots": this.plots.length },
        this.plots.map((plot, i) => make("div", {}, [
          ...(spec.plots[i].title ? [make("p", { class: "live-title" }, [spec.plots[i].title])] : []),
          plot.element]))),
      ...(spec.passage
        ? [make("p", { class: "live-title" }, [spec.passage.title]), this.text] : [this.row]),
      this.sentence, this.status, this.buildTable()]);
    // A page has more than one figure: what stands in each is called after it, too.
    this.root.querySelectorAll("button, summary, input, select, textarea").forEach((one, i) => {
      const words = one.ariaLabel ? one : this.root.querySelector(`label[for="${one.id}"]`) ?? one;
      words.id ||= `${this.id}-part-${i}`;
      one.setAttribute("aria-labelledby", `${words.id} ${this.id}`);
    });
    // Plain keys stay with the control that has the focus: JupyterLab listens at the document.
    this.root.addEventListener("keydown", event => {
      const command = event.ctrlKey || event.altKey || event.metaKey ||
        (event.shiftKey && event.key === "Enter") || ["Escape", "Tab"].includes(event.key);
      if (!command) event.stopPropagation();
    });
    el.append(this.root);
  }

  buildTable() {
    this.table = make("table", {});
    this.note = make("p", {});
    this.details = make("details", { class: "live-data" }, [
      make("summary", {}, ["The numbers as a table"]),
      make("div", { class: "live-scroll", tabindex: "0", role: "region",
        "aria-label": "The numbers as a table" }, [this.table]), this.note]);
    this.details.addEventListener("toggle", () => this.fillTable());
    return this.details;
  }

  fillTable() {
    if (!this.details.open || !this.view) return;
    const { head, rows, note = "" } = this.spec.table(this.view);
    this.note.textContent = note;
    this.table.replaceChildren(
      make("thead", {}, [make("tr", {}, head.map(text => make("th", { scope: "col" }, [text])))]),
      make("tbody", {}, rows.map(([first, ...rest]) => make("tr", {}, [
        make("th", { scope: "row" }, [first]), ...rest.map(cell => make("td", {}, [cell]))]))));
  }

  buildBet() {
    const { spec } = this, { bet } = spec;
    const mine = slider({ key: "bet", label: bet.label, min: 0, max: 100, start: 50, integer: false,
      ...bet.range });
    const reply = make("p", { class: "live-reply", role: "status" }), { bring } = bet;
    let mark;
    const put = to => { mark = to; built.show(to); }, built = mine.build((_, to) => put(to), this.id);
    put(mine.start);
    const button = make("button", { type: "button", class: "live-button live-main" },
      [bring?.words ?? "Show me"]);
    button.addEventListener("click", async () => {
      if (bring) {
        reply.textContent = bring.wait;
        try {
          await bring.come(this.model);
        } catch (problem) {
          reply.textContent = problem.message;
          return;
        }
        button.textContent = "Show me";
      }
      const steps = bet.reveal(this.state), last = { ...this.state, ...steps.at(-1) };
      reply.textContent = bet.wait(mark);
      this.play(steps, () => { reply.textContent = bet.reply(mark, spec.compute(last)); });
    });
    this.forget = () => {
      put(mine.start);
      reply.textContent = "";
    };
    return make("div", { class: "live-bet", role: "group", "aria-label": "Your prediction" }, [
      make("p", {}, [make("span", { class: "live-first" }, ["Predict first. "]), bet.question]),
      make("div", { class: "live-controls" }, [built.element, button]), reply]);
  }

  // ---------------------------------------------------------------------------- the state

  /** Take over the state that the model has. */
  read() {
    const words = this.model.get("state") ?? {};
    const now = this.state && writeState(this.fields, this.state);
    if (JSON.stringify(words) === JSON.stringify(now)) return; // said by this figure itself
    this.cancel();
    this.stop();
    this.state = readState(this.fields, words);
    this.draw();
  }

  /** Change one thing after the other, then say so; at once where motion is not wanted, or when the
      reader takes over: the last step holds all that the answer changes. */
  play(steps, done) {
    this.stop();
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.left = still ? steps.slice(-1) : [...steps];
    this.ended = done;
    const next = () => {
      this.show(this.left.shift());
      if (this.left.length) this.playing = setTimeout(next, REST);
      else this.stop();
    };
    next();
  }

  stop() {
    clearTimeout(this.playing);
    this.state = { ...this.state, ...this.left?.splice(0).at(-1) };
    this.ended?.();
    this.ended = null;
  }

  /** The reader changed something. */
  change(changes) {
    this.stop();
    this.show(changes);
  }

  /** Show a changed state before the next frame, keep and say what is drawn after a rest. */
  show(changes) {
    this.state = { ...this.state, ...changes };
    clearTimeout(this.timer);
    if (this.frame) return;
    const slow = this.took > SLOW, draw = () => {
      this.frame = 0;
      this.draw();
      this.timer = setTimeout(() => this.keep(), REST);
    };
    this.root.classList.toggle("live-slow", slow);
    this.frame = requestAnimationFrame(() => {
      if (slow) this.slow = setTimeout(draw); // after this frame, which says that it computes
      else draw();
    });
  }

  keep() {
    this.model.set("state", writeState(this.fields, this.state));
    this.model.save_changes();
    this.status.textContent = this.words.map(words => words.textContent).join(" ");
  }

  reset() {
    this.change(readState(this.fields, {}));
    this.forget?.();
  }

  // --------------------------------------------------------------------------- drawing

  /** The controls or words have another size than before. */
  follow({ target, contentRect: { width }, borderBoxSize }) {
    if (!width) return;
    if (target !== this.row) { // words never get lower, so that what is below does not jump
      target.style.minHeight = `${borderBoxSize[0].blockSize}px`;
    } else if (width !== this.width) {
      this.width = width;
      requestAnimationFrame(() => {
        for (const { style } of this.words) style.minHeight = "";
        for (const words of this.words) words.style.minHeight = `${words.offsetHeight}px`;
      });
      for (const plot of this.plots) plot.fit();
      this.drawPlots();
    }
  }

  draw() {
    const { spec } = this, before = performance.now();
    this.view = spec.compute(this.state);
    this.took = performance.now() - before;
    this.root.classList.remove("live-slow");
    for (const control of this.controls) control.show(this.state[control.key]);
    this.sentence.replaceChildren(...spec.say(this.view).map(piece => (Array.isArray(piece)
      ? make("span", { class: "live-number" }, piece)
      : piece.calm ? make("span", { class: "live-number live-accented" }, [piece.calm])
      : piece.low ? make("sub", {}, [piece.low]) : piece)));
    this.text.replaceChildren(...spec.passage?.text(this.view) ?? []);
    this.drawPlots();
    this.fillTable();
  }

  drawPlots() {
    this.plots.forEach((plot, i) => plot.show(
      area => this.spec.plots[i].draw(area, this.view), this.spec.plots[i].description(this.view)));
  }

  /** Drop what was about to be drawn, kept and said. */
  cancel() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    for (const timer of [this.playing, this.timer, this.slow]) clearTimeout(timer);
  }

  remove() {
    this.watch.disconnect();
    this.cancel();
    this.model.off("change:state", this.load);
  }
}

/** What a figure's module exports: `render` puts the figure into `el` and returns what takes it out again.
    It is declared, or made of the data that the model has. */
export const figure = declared => ({
  render(place) {
    const spec = declared instanceof Function ? declared(place.model.get("data")) : declared;
    const shown = new Figure(place, spec);
    return () => shown.remove();
  },
});
