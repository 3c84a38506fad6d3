/* The Jacobian β(diag(p) − ppᵀ) of one row of weights: it grows with β, and then it vanishes. */
import { bar, below, beside, figure, fixed, level, line, linear, logarithmic, max, percent, point, Random,
  rounded, shape, short, slider, softmax, sum, upright, value, words } from "../../live/parts.js";

const KEYS = 4, D = 64; // four scores q·k with d = 64: their standard deviation is 8
const LEAST = 1 / 64, MOST = 8, FAINT = 5e-4; // the axis of the entries begins there
const GRID = Array.from({ length: 73 }, (_, i) => LEAST * (MOST / LEAST) ** (i / 72));
const OCTAVES = Array.from({ length: 10 }, (_, i) => LEAST * 2 ** i);

/** Random scores, the best of which is moved to `gap` above the second. */
export function rowOf(seed, gap) {
  const random = new Random("jacobian", seed);
  const scores = Array.from({ length: KEYS }, () => Math.sqrt(D) * random.normal());
  const best = scores.indexOf(max(scores)), second = max(scores.toSpliced(best, 1));
  return scores.with(best, second + gap);
}

/** The weights and the derivatives of each (a row of the matrix) to each score (a column). */
export function jacobianOf(scores, beta) {
  const weights = softmax(scores.map(score => beta * score));
  const rest = weights.map((_, i) => sum(weights.toSpliced(i, 1))); // 1 - p without its rounding
  const matrix = weights.map((p, i) => weights.map((other, j) => (i === j ? beta * p * rest[i]
    : -beta * p * other)));
  return { weights, matrix, top: max(matrix, (row, i) => row[i]) };
}

function compute(state) {
  const { seed, gap, beta } = state, scores = rowOf(seed, gap);
  const curve = GRID.map(b => [b, jacobianOf(scores, b).top]);
  const peak = curve.reduce((found, point) => (point[1] > found[1] ? point : found));
  return { ...state, scores, curve, peak, ...jacobianOf(scores, beta) };
}

/** An entry with three decimals; what these would say is nothing is 0. */
const entry = x => (Math.abs(x) < 0.0005 ? "0" : fixed(x, Math.abs(x) < 0.9995 ? 3 : 2));
const number = x => (x >= 0.0005 ? entry(x) : "under 0.0005");
const scale = b => rounded(b, 2);

function drawMatrix(area, view) {
  const step = (area.right - area.left) / KEYS, tall = 88, top = area.top + tall + 12;
  const high = (area.floor - top) / KEYS, best = view.weights.indexOf(max(view.weights));
  const y = linear([0, 1], [area.top + tall, area.top + 18]);
  const middle = i => area.left + (i + 0.5) * step;
  const marks = [words("weight", area.left - 8, area.top + tall - 2, "end", "live-label")];
  view.weights.forEach((weight, i) => {
    marks.push(bar(middle(i) - 0.32 * step, y(weight), 0.64 * step, area.top + tall,
      i === best ? "live-top" : "live-bar"),
    words(percent(weight).replace("under ", "<\u202f").replace("over ", ">\u202f"), middle(i), y(weight) - 6,
      "middle", i === best ? "live-hot" : "live-strong"),
    words(`score ${i + 1}`, middle(i), area.floor + 19),
    words(`weight ${i + 1}`, area.left - 8, top + (i + 0.5) * high + 4, "end"));
  });
  view.matrix.forEach((row, i) => row.forEach((x, j) => {
    const depth = Math.min(Math.max((Math.log10(Math.abs(x)) + 3.5) / 3, 0), 1);
    marks.push(shape("rect", { class: x > 0 ? "live-bar" : "live-top", x: area.left + j * step + 1.5,
      y: top + i * high + 1.5, width: step - 3, height: high - 3, rx: 3,
      "fill-opacity": (0.6 * depth).toFixed(3) }),
    words(entry(x), middle(j), top + (i + 0.5) * high + 4.5, "middle",
      "live-strong"));
  }));
  return marks;
}

function drawCurve(area, view) {
  const x = logarithmic([LEAST, MOST], [area.left, area.right]);
  const y = logarithmic([FAINT, 3], [area.floor, area.top]);
  const marks = [beside(area, y, { ticks: [0.001, 0.01, 0.1, 1], format: String,
    label: "largest entry of βJ" })];
  marks.push(upright(x(1 / Math.sqrt(D)), area.top, area.floor), upright(x(1), area.top, area.floor),
    words("divided", x(1 / Math.sqrt(D)) - 5, area.top + 8, "end"),
    words("undivided", x(1) + 5, area.top + 8, "start"));
  if (view.shown)
    marks.push(line(view.curve.filter(([b, top]) => b <= view.shown * 1.001 && top >= FAINT), x, y));
  const faint = view.top < FAINT, said = number(view.top).replace("under ", "<\u202f");
  return [...marks, ...point(x(view.beta), y(Math.max(view.top, FAINT)), said,
    view.beta > 0.6 && view.beta < 4, faint ? -14 : -8, faint ? -14 : 10), below(area, x,
    { ticks: [1 / 64, 1 / 8, 1, 8], format: b => (b < 1 ? `1/${1 / b}` : String(b)), label: "scale β" })];
}

function say(view) {
  const top = max(view.weights);
  const peak = view.shown < MOST ? "" : view.gap === 0
    ? " The two best are tied: each keeps half of what there is, and βJ grows with β for ever."
    : view.peak[0] === MOST ? ` Up to β = ${MOST} it still grows: the gap of ${short(view.gap)} is small.`
      : ` Its peak is ${number(view.peak[1])}, at β = ${scale(view.peak[0])}.`;
  return [`At β = ${rounded(view.beta)} the best key has ${percent(top)} of the weight, and ` +
    "the largest entry of βJ, which is β\u00a0p(1\u00a0−\u00a0p), is ", [number(view.top)], `.${peak}`];
}

function table(view) {
  return {
    note: `The scores are ${view.scores.map(score => fixed(score, 1)).join(", ")}. An entry says how much a ` +
      "weight changes when a score grows by a little, by how much.",
    head: ["β", "weight of the best key", "largest entry"],
    rows: OCTAVES.map(b => [b, jacobianOf(view.scores, b)]).map(([b, { weights, top }]) =>
      [b < 1 ? `1/${1 / b}` : String(b), fixed(max(weights), 4), top.toPrecision(3)]),
  };
}

export default figure({
  label: "The Jacobian of one row",
  bet: {
    question: "Four scores q·k, with d = 64. The gradient comes to them through β(diag(p) − ppᵀ). At which β " +
      "are the entries of this matrix largest? At β = 1/8 the scores are divided by √d, at 1 they are not.",
    label: "your bet, β",
    range: { min: LEAST, max: MOST, step: 0.25, start: 1, log: true },
    reveal: () => OCTAVES.map(b => ({ beta: b, shown: b })),
    wait: bet => `You bet β = ${rounded(bet)}. Watch β grow …`,
    reply: (bet, view) => `You bet β = ${rounded(bet)}, where the largest entry of that row's matrix is ` +
      `${number(jacobianOf(view.scores, bet).top)}. Its most is ${number(view.peak[1])}, at β = ` +
      `${scale(view.peak[0])}. Make the gap of the two best scores smaller: where does the peak go?`,
  },
  controls: [
    slider({ key: "beta", label: "scale β", min: LEAST, max: MOST, step: 0.25, start: 1 / 8, log: true,
      integer: false }),
    slider({ key: "gap", label: "gap at the top", min: 0, max: 100, reach: [0, 20], step: 0.5, start: 4,
      integer: false }),
  ],
  fields: [
    value({ key: "seed", min: 1, max: 999999, start: 1 }),
    value({ key: "shown", min: 0, max: MOST, start: 0, integer: false }), // the curve, up to this β
  ],
  actions: [["Redraw", ({ seed }) => ({ seed: seed + 1 })]],
  plots: [
    { height: 340, margin: { left: 66, top: 8, bottom: 26, right: 4 }, draw: drawMatrix,
      description: view => `Bars of four weights, the largest ${percent(max(view.weights))}, above βJ as ` +
        `a grid: positive on the diagonal, negative beside it, the largest entry ${number(view.top)}` },
    { height: 260, margin: { left: 52, top: 28, right: 16 }, draw: drawCurve,
      description: view => `The largest entry of βJ against β, on logarithmic axes: ${number(view.top)} ` +
        `at β = ${scale(view.beta)}` },
  ],
  compute, say, table,
});
