/* One row of random scores, and more and more keys: when does one key take all, when do all share? */
import { choice, slider, toggle, value } from "../../live/controls.js";
import { figure } from "../../live/figure.js";
import { bar, below, beside, fixed, level, line, logarithmic, percent, shape, upright, whole,
  words } from "../../live/plot.js";
import { Random } from "../../live/random.js";
import { sum } from "../../live/softmax.js";

const MOST = 16384, TOP = 20, FAINT = 1e-4; // the axis of the weights begins there
const SIZES = Array.from({ length: 14 }, (_, i) => 2 ** (i + 1));

/* Medians of the effective keys over 2 001 rows of 2, 4, …, 16 384 normal scores with standard
   deviation √d, d = 1 being the divided ones (`why_sqrt_d.ch3.live.medians`). */
export const MEDIANS = {
  1: [1.656, 2.775, 4.797, 8.409, 15.33, 28.56, 54.1, 103.2, 200.7, 392.4, 770.8, 1534.0, 3048.0, 6062.0],
  4: [1.274, 1.912, 2.674, 3.752, 5.558, 8.436, 12.75, 19.92, 32.64, 53.88, 89.67, 155.8, 271.3, 487.6],
  16: [1.039, 1.253, 1.523, 1.799, 2.168, 2.485, 2.973, 3.586, 4.394, 5.286, 6.176, 7.622, 9.398, 11.45],
  64: [1.001, 1.021, 1.075, 1.135, 1.237, 1.303, 1.405, 1.573, 1.691, 1.799, 1.833, 1.917, 1.999, 2.138],
  256: [1.0, 1.0, 1.002, 1.005, 1.016, 1.023, 1.037, 1.074, 1.099, 1.113, 1.112, 1.123, 1.139, 1.186],
  1024: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.001, 1.002, 1.003, 1.004, 1.004, 1.004, 1.005, 1.009],
};

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
  const { n, d, scaled, seed } = state, row = rowOf(seed);
  const spread = scaled ? 1 : Math.sqrt(Number(d));
  const sizes = [...new Set([...SIZES, n])].sort((a, b) => a - b);
  const along = effectiveAlong(row, spread, sizes);
  return { ...state, spread, sizes, along, effective: along[sizes.indexOf(n)],
    border: Math.sqrt(2 * Math.log(n)), ...ranked(row, spread, n) };
}

const count = x => (x < 9.95 ? fixed(x, 1) : whole(x));

function drawWeights(area, view) {
  const places = TOP + 4, step = (area.right - area.left) / places;
  const scale = logarithmic([FAINT, 1], [area.floor, area.top + 8]);
  const y = weight => scale(Math.max(weight, FAINT));
  const marks = [beside(area, y, { ticks: [FAINT, 0.001, 0.01, 0.1, 1],
    format: tick => `${Number((100 * tick).toPrecision(1))}\u202f%`,
    label: "weight, on a logarithmic axis" })];
  view.weights.forEach((weight, i) => marks.push(bar(area.left + (i + 0.12) * step, y(weight),
    0.76 * step, area.floor, i ? "live-bar" : "live-top")));
  if (view.n > TOP) {
    const left = area.left + (TOP + 1) * step, share = view.rest;
    marks.push(bar(left, y(share), 3 * step, area.floor, "live-crowd"),
      words("the rest", Math.min(left + 1.5 * step, area.right - 22), area.floor + 19),
      words(percent(view.rest), Math.min(left + 1.5 * step, area.right - 16), y(share) - 7, "middle", "live-strong"));
  }
  marks.push(level(area.floor + 0.5, area.left, area.right, "live-axis"),
    words(view.n > TOP ? `the ${TOP} largest` : "all keys, largest first",
      area.left + Math.min(view.n, TOP) / 2 * step, area.floor + 19,
      view.n < 12 ? "start" : "middle"));
  return marks;
}

function drawCurve(area, view) {
  const x = logarithmic([2, MOST], [area.left, area.right]);
  const y = logarithmic([1, MOST], [area.floor, area.top]);
  const here = [x(view.n), y(view.effective)], right = view.n > 900;
  const [divided, plain] = [MEDIANS[1], MEDIANS[view.d]];
  return [beside(area, y, { ticks: [1, 16, 256, 4096], format: whole, label: "effective keys" }),
    line([[2, 2], [MOST, MOST]], x, y, "live-reference"),
    line(SIZES.map((n, i) => [n, divided[i]]), x, y, "live-calm"),
    line(SIZES.map((n, i) => [n, plain[i]]), x, y, "live-calm live-dashed"),
    line(view.sizes.map((n, i) => [n, view.along[i]]), x, y, "live-curve"),
    words("all alike", x(64) - 10, y(64), "end"),
    words("solid: typical row, divided", area.left + 6, area.top + 8, "start", "live-good"),
    words(`dashed: d = ${whole(Number(view.d))}`, area.left + 6, area.top + 26, "start", "live-good"),
    upright(here[0], here[1], area.floor, "live-reference"),
    shape("circle", { class: "live-top", cx: here[0], cy: here[1], r: 6 }),
    words(count(view.effective), here[0] + (view.scaled ? right ? 12 : 8 : right ? -10 : 10),
      here[1] + (view.scaled ? right ? 30 : 22 : -10), right ? "end" : "start", "live-hot"),
    below(area, x, { ticks: [2, 16, 128, 1024, 16384], format: whole, label: "keys n" })];
}

function say(view) {
  const border = fixed(view.border, 1);
  const side = view.spread > view.border ? `above about ${border}, where a crowd gives way to few keys`
    : `below about ${border}, where few keys give way to a crowd`;
  return ["The weights are spread as over ", [count(view.effective)], ` of ${whole(view.n)} keys; the ` +
    "top one takes ", [percent(view.weights[0])], `. A query of length √d gives scores that ` +
    `spread by ${fixed(view.spread, 1)}${view.scaled ? " after dividing" : ""}, ${side}.`];
}

function table(view) {
  return {
    note: "Typical is the median of 2001 rows. Every query has the length √d, so the scores spread by √d, " +
      "or by 1 after dividing. Few keys give way to a crowd about where the spread is √(2 ln n).",
    head: ["keys n", "effective keys, this row", "median row"],
    rows: SIZES.map((n, i) => [whole(n), count(view.along[view.sizes.indexOf(n)]), count(MEDIANS[view.scaled ? 1 : view.d][i])]),
  };
}

const spec = {
  name: "keys",
  label: "More and more keys",
  question: "Divided by √d, scores spread by 1 at every d. What will the top key have left when 256 " +
    "keys become 16\u202f384? And without the scale?",
  controls: [
    slider({ key: "n", label: "keys n", min: 2, max: MOST, start: 256, log: true }),
    choice({ key: "d", label: "dimension d", start: "64",
      options: ["4", "16", "64", "256", "1024"].map(d => [d, whole(Number(d))]) }),
    toggle({ key: "scaled", label: "divide by √d", start: true }),
  ],
  fields: [value({ key: "seed", min: 1, max: 999999, start: 22 })],
  actions: [["Redraw", ({ seed }) => ({ seed: seed + 1 })]],
  plots: [
    { height: 250, margin: { left: 50, top: 28 }, draw: drawWeights,
      said: view => `Bars: the largest weight ${percent(view.weights[0])}` +
        (view.n > TOP ? `, and what is beyond the ${TOP} largest, ${percent(view.rest)}` : "") },
    { height: 250, margin: { left: 50, top: 28, right: 22 }, draw: drawCurve,
      said: view => `Curve of effective keys against the number of keys, with ${count(view.effective)} at ${whole(view.n)}` },
  ],
  compute, say, table,
};

export default { render: place => figure(place, spec) };
