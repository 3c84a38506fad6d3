/* A needle among n keys: too warm and the crowd outvotes it, cold and the winner takes all.

   Scores have standard deviation 1, those of q·k divided by √d; a logit is b times the score, and b = 1 is
   the textbook's scale 1/√d. */
import { bars, below, beside, figure, fixed, line, linear, logarithmic, Memory, percent, point, Random,
  rounded, short, slider, sum, upright, value, whole, words } from "../../live/parts.js";

const LEAST = 10, MOST = 16384, TOP = 8;
const COLDEST = 100, WARMEST = 0.1;
const GRID = Array.from({ length: 61 }, (_, i) => WARMEST * (COLDEST / WARMEST) ** (i / 60));
const OCTAVES = Array.from({ length: 10 }, (_, i) => 2 ** (i - 3));

const FIRST = { size: 3, scale: -3.5 }; // powers of two: the first of the lifts

/** The lift of a typical crowd between the sizes and scales of `lifts` (lifts.json, which
    `research/ch6/crowds.py` explains); `share` is 0, 1 or 2. */
export function liftOf(lifts, share, n, beta) {
  const table = lifts[share], i = Math.log2(n) - FIRST.size, j = 2 * (Math.log2(beta) - FIRST.scale);
  const along = row => {
    const at = Math.min(Math.max(Math.floor(j), 1), row.length - 3), t = j - at;
    const [a, b, c, d] = row.slice(at - 1, at + 3); // the cubic through four points
    return (-t * (t - 1) * (t - 2) * a + 3 * (t + 1) * (t - 1) * (t - 2) * b -
      3 * (t + 1) * t * (t - 2) * c + (t + 1) * t * (t - 1) * d) / 6;
  };
  const low = Math.min(Math.floor(i), table.length - 2), u = i - low;
  return (1 - u) * along(table[low]) + u * along(table[low + 1]);
}

/** The needle's weight if n others have this lift together. */
export const weightAt = (n, beta, height, lift) => 1 / (1 + n * Math.exp(beta * (lift - height)));

const rows = new Memory(1), crowds = new Memory(20), curves = new Memory(50);

/** The scores of the n others, largest first: those of a smaller crowd are among them. */
export function crowdOf(seed, n) {
  const row = rows.recall(seed, () => new Random("needle", seed).normals(MOST));
  return crowds.recall(`${seed} ${n}`, () => row.slice(0, n).sort().reverse());
}

/** log Σ exp(βz) of scores, largest first. */
function logSum(sorted, beta) {
  const top = sorted[0];
  return beta * top + Math.log(sum(sorted, score => Math.exp(beta * (score - top))));
}

/** log Σ exp(βz) of the others for all β of the curve: no height of the needle changes it. */
function curveOf(seed, n) {
  return curves.recall(`${seed} ${n}`, () => GRID.map(beta => logSum(crowdOf(seed, n), beta)));
}

/** The weights of the needle and the strongest others, and what the rest have together. */
export function weigh(sorted, height, beta) {
  const total = logSum(sorted, beta);
  const needle = 1 / (1 + Math.exp(total - beta * height));
  const others = 1 / (1 + Math.exp(beta * height - total)); // 1 - needle, without its rounding
  const strongest = Array.from(sorted.subarray(0, TOP), z => others * Math.exp(beta * z - total));
  const rest = Math.max(0, others - sum(strongest));
  return { needle, others, strongest, rest };
}

function compute(lifts, state) {
  const { n, height, b: beta, seed } = state, sorted = crowdOf(seed, n);
  const curve = curveOf(seed, n).map((total, i) => [GRID[i],
    1 / (1 + Math.exp(total - GRID[i] * height))]);
  const typical = [0, 1, 2].map(share => GRID.map(b => [b, weightAt(n, b, height, liftOf(lifts, share, n, b))]));
  const best = curve.reduce((found, point) => (point[1] > found[1] ? point : found));
  return { ...state, curve, typical, best, top: sorted[0], ...weigh(sorted, height, beta),
    median: weightAt(n, beta, height, liftOf(lifts, 1, n, beta)) };
}

function drawWeights(area, view) {
  const y = linear([0, 1], [area.floor, area.top + 14]);
  const strongest = view.strongest.map((weight, i) => ({ weight,
    label: i === 0 && weight > 0.05 ? percent(weight) : "" }));
  const slots = TOP + 4.5, middle = area.left + (1.5 + TOP / 2) / slots * (area.right - area.left);
  return [bars(area, y, [
    { weight: view.needle, look: "live-top", label: percent(view.needle), name: "needle", wide: 1.5 }, ...strongest,
    { weight: view.rest, look: "live-crowd", label: percent(view.rest), name: `${whole(view.n - TOP)} more`, wide: 3 },
  ], slots), words(`the ${TOP} next`, middle, area.floor + 19)];
}

function drawCurve(area, view) {
  const x = logarithmic([WARMEST, COLDEST], [area.left, area.right]);
  const y = linear([0, 1], [area.floor, area.top + 6]);
  const [low, median, high] = view.typical;
  const marks = [beside(area, y, { ticks: [0, 0.5, 1], format: tick => `${100 * tick}\u202f%`,
    label: "the needle's weight" })];
  if (view.shown) {
    const seen = points => points.filter(([at]) => at <= view.shown * 1.001);
    marks.push(line([...seen(low), ...seen(high).reverse()], x, y, "live-band live-calm-band"),
      line(seen(median), x, y, "live-calm"), line(seen(view.curve), x, y),
      words("typical row", area.left + 6, area.top + 12, "start", "live-good"),
      words("this row", area.left + 6, area.top + 30, "start", "live-hot"));
  }
  return [...marks, upright(x(view.b), y(view.needle), area.floor),
    ...point(x(view.b), y(view.needle), percent(view.needle), view.b <= 3, view.needle > 0.9 ? 18 : -9),
    below(area, x, { ticks: [0.1, 1, 10, 100], format: short, label: "scale b = β√d" })];
}

const rough = b => rounded(b, 2);

function say(view) {
  const why = view.needle > 0.5 ? ". " : view.rest > view.strongest[0]
    ? ": the many others, with little weight each, outvote it. "
    : ": a key with a higher score is ahead. ";
  const best = view.height > view.top
    ? `Every other key here scores below ${rounded(view.height)}, so a larger b gives it more. `
    : `Another key here scores ${rounded(view.top)}; the best b, ${rough(view.best[0])}, gives the needle ` +
      `${percent(view.best[1])}. `;
  return [`At b = ${short(view.b)} the needle gets `, [percent(view.needle)], why,
    view.shown < COLDEST ? "" : best, `In a typical row it gets ${percent(view.median)} at this b.`];
}

function table(view) {
  const [high, median, low] = view.typical; // a high lift of the others, a low weight
  return {
    note: "The other scores are standard normal. Typical is the median of 4001 rows; a tenth of the " +
      "rows give less than the lowest tenth, and a tenth more than the highest.",
    head: ["b", "this row", "lowest tenth", "typical", "highest tenth"],
    rows: GRID.map((b, i) => [b, i]).filter(([, i]) => i % 5 === 0).map(([b, i]) => [rough(b),
      fixed(view.curve[i][1], 4), ...[low, median, high].map(curve => fixed(curve[i][1], 3))]),
  };
}

/** The figure over the lifts of crowds. */
export default figure(lifts => ({
  label: "A needle among n keys",
  bet: {
    question: "One key, the needle, scores D above the mean of the others, whose standard deviation is 1. " +
      "At which scale b, if any, will it get more than half of the weight? (At b = 1 the scores are divided by √d.)",
    label: "your bet, b",
    range: { min: WARMEST, max: COLDEST, reach: [0.125, 64], step: 0.25, start: 1, log: true },
    reveal: () => OCTAVES.map(b => ({ b, shown: b < OCTAVES.at(-1) ? b : COLDEST })),
    wait: bet => `You bet b = ${short(bet)}. Watch b grow …`,
    reply: (bet, view) => `You bet b = ${short(bet)}: in that row it gives the needle ` +
      `${percent(weigh(crowdOf(view.seed, view.n), view.height, bet).needle)}. ` +
      (view.height > view.top ? "More is always better there, for the needle scores highest. "
        : `No b gives more there than ${percent(view.best[1])}, for another key scores higher. `) +
      "Redraw the others: is it so in every row?",
  },
  controls: [
    slider({ key: "b", label: "scale b", min: WARMEST, max: COLDEST, reach: [0.125, 64], step: 0.25,
      start: 1, log: true, integer: false }),
    slider({ key: "n", label: "other keys", min: LEAST, max: MOST, reach: [16, MOST], start: 1024, log: true }),
    slider({ key: "height", label: "needle at D", min: 0, max: 10, reach: [0, 8], step: 0.1, start: 3.5,
      integer: false }),
  ],
  fields: [
    value({ key: "seed", min: 1, max: 999999, start: 10 }),
    value({ key: "shown", min: 0, max: COLDEST, start: 0, integer: false }), // the curve, up to this b
  ],
  actions: [["Redraw", ({ seed }) => ({ seed: seed + 1 })]],
  plots: [
    { height: 240, margin: { left: 8, top: 16 }, draw: drawWeights,
      description: view => `Bars: the needle's weight ${percent(view.needle)}, that of the strongest other key ` +
        `${percent(view.strongest[0])}, and beyond the ${TOP} strongest together ${percent(view.rest)}` },
    { height: 240, margin: { left: 46, top: 28, right: 14 }, draw: drawCurve,
      description: view => "Curve of the needle's weight against b in this row, on that of a typical row with a " +
        `band for four rows of five; ${percent(view.needle)} at b = ${short(view.b)}` },
  ],
  compute: state => compute(lifts, state), say, table,
}));
