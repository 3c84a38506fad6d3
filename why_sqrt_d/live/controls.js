/* Controls: native inputs with a label, a value that can be typed, and a sentence for what cannot be.

   A control has a `key`, a `start`, `parse(text)`, which returns a value or throws the sentence,
   `text(value)`, as an address has it, `said(value)`, as a reader has it, and `build(change, id)`,
   which returns its element, `show(value)` and perhaps buttons. */
import { short, whole } from "./plot.js";

export function make(tag, attributes = {}, children = []) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  made.append(...children);
  return made;
}

const NUMBER = /^[-−+]?(\d+\.?\d*|\.\d+)(e[-−+]?\d+)?$/i;

/** What a reader typed as a number, or NaN; spaces between digits and a true minus are fine. */
export function typed(text) {
  const plain = String(text).replace(/[\s\u202f\u00a0]/g, "");
  return NUMBER.test(plain) ? Number(plain.replaceAll("−", "-")) : NaN;
}

/** A number between `min` and `max`: state only, or the base of a slider. */
export function value({ key, label = key, min, max, start, integer = true }) {
  const kind = integer ? "a whole number" : "a number";
  return {
    key, label, start,
    parse(text) {
      const found = typed(text);
      if (!(found >= min && found <= max) || (integer && !Number.isInteger(found)))
        throw new RangeError(`${label}: “${text}” is not ${kind} from ${short(min)} to ${short(max)}.`);
      return found;
    },
    text: String,
    said: found => (integer ? whole(found) : short(found)),
  };
}

/** A slider with a field to type in. With `log` the slider goes in powers of two, and its left end is 0
    if that can be typed; `reach` are its ends where more can be typed. */
export function slider(spec) {
  const { key, label, step = 1, log = false } = spec, base = value(spec);
  const [min, max] = spec.reach ?? [spec.min, spec.max];
  const place = found => (log ? Math.log2(Math.max(found, min)) : found);
  const found = at => {
    if (!log) return Number(Number(at).toFixed(10));
    return spec.min === 0 && 2 ** at <= min ? 0
      : Number((2 ** at).toPrecision(3 + 2 * (spec.integer ?? true)));
  };
  return {
    ...base,
    build(change, id, fail) {
      const range = make("input", { type: "range", id: `${id}-${key}`, min: place(min),
        max: place(max), step, autocomplete: "off" });
      const field = make("input", { type: "text", inputmode: "decimal", size: 6, autocomplete: "off",
        "aria-label": `${label}, typed`, id: `${id}-${key}-typed`, spellcheck: "false" });
      range.addEventListener("input", () => change(key, found(Number(range.value))));
      const commit = () => {
        if (field.value === field.dataset.shown) return;
        try {
          const given = base.parse(field.value);
          field.removeAttribute("aria-invalid");
          change(key, given);
        } catch (problem) {
          field.setAttribute("aria-invalid", "true");
          fail(problem.message);
        }
      };
      field.addEventListener("change", commit);
      field.addEventListener("keydown", event => { if (event.key === "Enter") commit(); });
      return {
        element: make("div", { class: "live-control live-slider" }, [
          make("label", { for: range.id }, [label]), field, range]),
        show(now) {
          const said = base.said(now);
          if (Number(range.value) !== place(now)) range.value = place(now);
          if (field.value !== said) field.value = said;
          field.removeAttribute("aria-invalid");
          if (field.dataset.shown === said) return;
          range.setAttribute("aria-valuetext", said);
          field.dataset.shown = said;
        },
      };
    },
  };
}

/** One of a few; `options` are [value, words]. */
export function choice({ key, label, options, start = options[0][0] }) {
  const name = wanted => options.find(([one]) => one === wanted)?.[1];
  return {
    key, label, start,
    parse(text) {
      if (!name(text))
        throw new RangeError(`${label}: “${text}” is none of ${options.map(([one]) => one).join(", ")}.`);
      return text;
    },
    text: String,
    said: name,
    build(change, id) {
      const select = make("select", { id: `${id}-${key}`, autocomplete: "off" },
        options.map(([one, said]) => make("option", { value: one }, [said])));
      select.addEventListener("input", () => change(key, select.value));
      return {
        element: make("div", { class: "live-control" }, [
          make("label", { for: select.id }, [label]), select]),
        show(now) { select.value = now; },
      };
    },
  };
}

/** A few words; what is typed is taken over letter by letter. */
export function phrase({ key, label, most, start }) {
  return {
    key, label, start,
    parse(text) {
      if (text.length > most)
        throw new RangeError(`${label}: ${text.length} characters are more than ${most}.`);
      return text;
    },
    text: String,
    said: String,
    build(change, id) {
      const field = make("textarea", { id: `${id}-${key}`, rows: 2, maxlength: most,
        autocomplete: "off", spellcheck: "false" });
      field.addEventListener("input", () => change(key, field.value.replace(/\s+/g, " ")));
      return {
        element: make("div", { class: "live-control live-phrase" }, [
          make("label", { for: field.id }, [label]), field]),
        show(now) { if (field.value.replace(/\s+/g, " ") !== now) field.value = now; },
      };
    },
  };
}

/** On or off. */
export function toggle({ key, label, start = false }) {
  return {
    key, label, start,
    parse(text) {
      if (!["0", "1", "true", "false"].includes(text))
        throw new RangeError(`${label}: “${text}” is neither 1 (on) nor 0 (off).`);
      return text === "1" || text === "true";
    },
    text: now => (now ? "1" : "0"),
    said: now => (now ? "on" : "off"),
    build(change, id) {
      const box = make("input", { type: "checkbox", id: `${id}-${key}`, autocomplete: "off" });
      box.addEventListener("input", () => change(key, box.checked));
      return {
        element: make("div", { class: "live-control live-toggle" }, [
          box, make("label", { for: box.id }, [label])]),
        show(now) { box.checked = now; },
      };
    },
  };
}
