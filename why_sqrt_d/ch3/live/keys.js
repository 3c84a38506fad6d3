/* One row of random scores, and more and more keys: when does one key take all, when do all share? */
import { choice, slider, toggle, value } from "../../live/controls.js";
import { figure } from "../../live/figure.js";
import { bar, beside, fixed, level, logarithmic, percent, shape, whole, words } from "../../live/plot.js";
import { Random } from "../../live/random.js";
import { sum } from "../../live/softmax.js";

const MOST = 16384, TOP = 20, FAINT = 1e-4; // the axis of the weights begins there
const SIZES = Array.from({ length: 14 }, (_, i) => 2 ** (i + 1));

const rows = new Map();

/** The standard normal numbers of a row: the first n are those of n keys. */
export function rowOf(seed) {
  if (!rows.has(seed)) {
    const random = new Random("keys", seed);
    rows.clear();
    rows.set(seed, Float64Array.from({ length: MOST }, () => random.normal()));
  }
  return rows.get(seed);
}

/** Effective keys of the first n scores, for every n of `sizes` (rising). */
export function effectiveAlong(row, spread, sizes) {
  let top = -Infinity, total = 0, squares = 0, at = 0;
  return sizes.map(n => {
    for (; at < n; at += 1) {
      const logit = spread * row[at];
      if (logit > top) { // what was added so far shrinks
        const factor = Math.exp(top - logit);
        total *= factor;
        squares *= factor * factor;
        top = logit;
      }
      const power = Math.exp(logit - top);
      total += power;
      squares += power * power;
    }
    return total * total / squares;
  });
}

/** The 20 largest weights of the first n keys, and what the others have together. */
export function ranked(row, spread, n) {
  const sorted = row.slice(0, n).sort().reverse(), top = sorted[0];
  const total = sum(sorted.map(z => Math.exp(spread * (z - top))));
  const weights = Array.from(sorted.subarray(0, TOP), z => Math.exp(spread * (z - top)) / total);
  return { weights, rest: Math.max(0, 1 - sum(weights)) };
}

function compute(state) {
  const { n, d, scaled, seed } = state, row = rowOf(seed), root = Math.sqrt(Number(d));
  const seen = spread => ({ spread, effective: effectiveAlong(row, spread, [n])[0], ...ranked(row, spread, n) });
  const plain = seen(root);
  return { ...state, root, plain, shown: scaled ? seen(1) : plain, border: Math.sqrt(2 * Math.log(n)) };
}

const count = x => (x < 9.95 ? fixed(x, 1) : whole(x));

/* The axis is the same for every state, and the undivided row stays as an outline. */
function draw(area, view) {
  const { plain, shown, scaled, n } = view;
  const step = (area.right - area.left) / (TOP + 4);
  const scale = logarithmic([FAINT, 1], [area.floor, area.top + 8]);
  const y = weight => scale(Math.max(weight, FAINT));
  const marks = [beside(area, y, { ticks: [FAINT, 0.001, 0.01, 0.1, 1],
    format: tick => `${Number((100 * tick).toPrecision(1))}\u202f%`,
    label: "weight, on a logarithmic axis" })];
  const places = shown.weights.map((_, i) => [area.left + (i + 0.12) * step, 0.76 * step]);
  const pale = scaled ? " live-pale" : ""; // so that the outline is seen in front
  places.forEach(([left, width], i) =>
    marks.push(bar(left, y(shown.weights[i]), width, area.floor, `${i ? "live-bar" : "live-top"}${pale}`)));
  if (n > TOP) {
    const left = area.left + (TOP + 1) * step, middle = Math.min(left + 1.5 * step, area.right - 22);
    places.push([left, 3 * step]);
    marks.push(bar(left, y(shown.rest), 3 * step, area.floor, `live-crowd${pale}`),
      words("the rest", middle, area.floor + 19),
      words(percent(shown.rest), Math.min(middle, area.right - 16), y(shown.rest) - 7, "middle", "live-strong"));
  }
  const first = percent(shown.weights[0]), top = y(plain.weights[0]) + 4;
  if (scaled) {
    const over = Math.max(1, shown.weights.findIndex((weight, i) => weight > plain.weights[i]));
    const outline = places.map(([left, width], i) => [left, width, y(plain.weights[i] ?? plain.rest)])
      .filter(([, , top]) => top < area.floor)
      .map(([left, width, top]) => `M${left} ${area.floor}V${top}h${width}V${area.floor}`);
    marks.push(shape("path", { class: "live-outline", d: outline.join("") }),
      words(`outline: undivided, ${percent(plain.weights[0])}`, area.left + 1.2 * step,
        top, "start", "live-strong"),
      words(`divided, ${first}`, area.left + (over > 9 ? TOP : over + 0.2) * step,
        Math.max(y(shown.weights[over]) - 8, top + 18), over > 9 ? "end" : "start", "live-hot"));
  } else
    marks.push(words(`undivided, ${first}`, area.left + 1.2 * step, top, "start", "live-hot"));
  marks.push(level(area.floor + 0.5, area.left, area.right, "live-axis"),
    words(n > TOP ? `the ${TOP} largest` : "all keys, largest first",
      n < 12 ? area.left : area.left + Math.min(n, TOP) / 2 * step, area.floor + 19,
      n < 12 ? "start" : "middle"));
  return marks;
}

function say(view) {
  const { shown, plain, n } = view;
  const side = shown.spread > view.border ? "above" : "below";
  const before = view.scaled
    ? [" Undivided it took ", [percent(plain.weights[0])], ", as if ", [count(plain.effective)], " took part."] : [];
  return [`${view.scaled ? "Divided" : "Undivided"}, the scores have σ = ${fixed(shown.spread, 1)}, ${side} the critical ` +
    `${fixed(view.border, 1)} for ${whole(n)} keys. The top key takes `, [percent(shown.weights[0])],
    ", and it is as if ", [count(shown.effective)], ` of ${whole(n)} keys took part.`, ...before];
}

function table(view) {
  const row = rowOf(view.seed), [plain, divided] = [view.root, 1].map(spread => effectiveAlong(row, spread, SIZES));
  return {
    note: "Effective numbers of keys in this row. Its query has the length √d, so its scores have σ = √d, " +
      "or 1 after dividing. Critical is σ = √(2 ln n).",
    head: ["keys n", "undivided", "divided", "critical σ"],
    rows: SIZES.map((n, i) => [whole(n), count(plain[i]), count(divided[i]), fixed(Math.sqrt(2 * Math.log(n)), 1)]),
  };
}

const spec = {
  name: "keys",
  label: "More and more keys",
  question: "What will the top key have left when 16 keys become 16\u202f384? Bet twice: divided, and undivided.",
  controls: [
    slider({ key: "n", label: "keys n", min: 2, max: MOST, start: 16, log: true }),
    choice({ key: "d", label: "dimension d", start: "64",
      options: ["4", "16", "64", "256", "1024"].map(d => [d, whole(Number(d))]) }),
    toggle({ key: "scaled", label: "divide by √d", start: true }),
  ],
  fields: [value({ key: "seed", min: 1, max: 999999, start: 270 })],
  actions: [["Redraw", ({ seed }) => ({ seed: seed + 1 })]],
  plots: [
    { height: 280, margin: { left: 50, top: 28, bottom: 26 }, draw,
      said: view => `Bars: the largest weight ${percent(view.shown.weights[0])}` +
        (view.n > TOP ? `, and what is beyond the ${TOP} largest, ${percent(view.shown.rest)}` : "") +
        (view.scaled ? `; as an outline the undivided row, largest ${percent(view.plain.weights[0])}` : "") },
  ],
  compute, say, table,
};

export default { render: place => figure(place, spec) };
