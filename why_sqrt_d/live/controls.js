/* Controls: native inputs with a label.

   A control has a `key`, a `start`, `parse(text)`, which returns a value, or nothing if the text is none,
   `text(value)`, as an address has it, and `build(change, id)`, which returns its element and
   `show(value)`. */
import { short, whole } from "./plot.js";

export function make(tag, attributes = {}, children = []) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  made.append(...children);
  return made;
}

/** An input behind its label. */
function labelled(label, name, ...inputs) {
  return make("div", { class: `live-control ${name}` }, [
    make("label", { for: inputs[0].id }, [label]), ...inputs]);
}

/** A number between `min` and `max`: state only, or the base of a slider. */
export function value({ key, min, max, start, integer = true }) {
  return {
    key, start, text: String,
    parse(text) {
      const found = Number(text);
      if (found >= min && found <= max && (!integer || Number.isInteger(found))) return found;
    },
  };
}

/** A slider with a field to type in. With `log` the slider goes in powers of two, and its left end is 0
    if that can be typed; `reach` are its ends where more can be typed. */
export function slider(spec) {
  const { key, label, min, max, reach = [min, max], step = 1, integer = true, log = false } = spec;
  const place = found => (log ? Math.log2(Math.max(found, reach[0])) : found);
  const found = at => {
    if (!log) return Number(at.toFixed(10));
    return min === 0 && 2 ** at <= reach[0] ? 0 : Number((2 ** at).toPrecision(integer ? 5 : 3));
  };
  return {
    ...value(spec),
    build(change, id) {
      const range = make("input", { type: "range", id: `${id}-${key}`, min: place(reach[0]),
        max: place(reach[1]), step, autocomplete: "off" });
      const field = make("input", { type: "number", id: `${id}-${key}-typed`, min, max,
        step: integer ? 1 : "any", "aria-label": `${label}, typed`, autocomplete: "off" });
      range.addEventListener("input", () => change(key, found(range.valueAsNumber)));
      field.addEventListener("change", () => {
        if (field.value && field.reportValidity()) change(key, field.valueAsNumber);
      });
      return {
        element: labelled(label, "live-slider", range, field),
        show(now) {
          range.value = place(now);
          range.setAttribute("aria-valuetext", integer ? whole(now) : short(now));
          field.value = integer ? now : Number(now.toPrecision(3));
        },
      };
    },
  };
}

/** One of a few; `options` are [value, words]. */
export function choice({ key, label, options, start = options[0][0] }) {
  return {
    key, start, text: String,
    parse: text => options.find(([option]) => option === text)?.[0],
    build(change, id) {
      const select = make("select", { id: `${id}-${key}`, autocomplete: "off" },
        options.map(([option, words]) => make("option", { value: option }, [words])));
      select.addEventListener("input", () => change(key, select.value));
      return { element: labelled(label, "", select), show(now) { select.value = now; } };
    },
  };
}

/** A few words; what is typed is taken over letter by letter. */
export function phrase({ key, label, most, start }) {
  return {
    key, start, text: String,
    parse: text => text.slice(0, most),
    build(change, id) {
      const field = make("textarea", { id: `${id}-${key}`, rows: 2, maxlength: most,
        autocomplete: "off", spellcheck: "false" });
      field.addEventListener("input", () => change(key, field.value.replace(/\s+/g, " ")));
      return {
        element: labelled(label, "live-phrase", field),
        show(now) { if (field.value.replace(/\s+/g, " ") !== now) field.value = now; },
      };
    },
  };
}

/** On or off. */
export function toggle({ key, label, start = false }) {
  return {
    key, start,
    text: now => (now ? "1" : "0"),
    parse: text => text === "1",
    build(change, id) {
      const box = make("input", { type: "checkbox", id: `${id}-${key}`, autocomplete: "off" });
      box.addEventListener("input", () => change(key, box.checked));
      return { element: labelled(label, "live-toggle", box), show(now) { box.checked = now; } };
    },
  };
}
