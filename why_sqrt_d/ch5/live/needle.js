/* A needle among n keys: too warm and the crowd outvotes it, cold and the winner takes all.

   Scores have standard deviation 1, those of q·k divided by √d; a logit is b times the score, and b = 1 is
   the textbook's scale 1/√d. */
import { slider, value } from "../../live/controls.js";
import { figure } from "../../live/figure.js";
import { bar, below, beside, fixed, level, line, linear, logarithmic, percent, shape, short, upright,
  whole, words } from "../../live/plot.js";
import { Random } from "../../live/random.js";

const LEAST = 10, MOST = 16384, TOP = 8;
const COLDEST = 100, WARMEST = 0.1;
const GRID = Array.from({ length: 61 }, (_, i) => WARMEST * (COLDEST / WARMEST) ** (i / 60));
const OCTAVES = Array.from({ length: 10 }, (_, i) => 2 ** (i - 3));
const NEGLIGIBLE = 45; // e^-45 times 16 384 terms is nothing beside 1

/* Lifts log(mean exp(βz))/β of a crowd of 8, 16, …, 16 384 standard normal scores at the scales
   2^-3.5, 2^-3, …, 2^7: their 10th, 50th and 90th percentiles over 4001 rows
   (`why_sqrt_d.ch5.live.crowds`). */
const LIFTS = [
  [[-0.402, -0.388, -0.368, -0.340, -0.300, -0.248, -0.181, -0.106, -0.016, 0.088, 0.187, 0.292, 0.381, 0.456, 0.515, 0.560, 0.593, 0.619, 0.634, 0.647, 0.656, 0.663],
   [-0.272, -0.256, -0.235, -0.206, -0.159, -0.099, -0.021, 0.074, 0.189, 0.321, 0.456, 0.595, 0.712, 0.814, 0.891, 0.950, 0.994, 1.027, 1.051, 1.069, 1.081, 1.090],
   [-0.178, -0.159, -0.134, -0.101, -0.055, 0.010, 0.093, 0.203, 0.339, 0.496, 0.664, 0.832, 0.980, 1.107, 1.209, 1.284, 1.338, 1.381, 1.410, 1.433, 1.449, 1.460],
   [-0.119, -0.101, -0.076, -0.041, 0.007, 0.075, 0.167, 0.288, 0.446, 0.626, 0.822, 1.018, 1.195, 1.345, 1.467, 1.561, 1.629, 1.680, 1.715, 1.742, 1.761, 1.774],
   [-0.071, -0.052, -0.025, 0.010, 0.059, 0.129, 0.223, 0.349, 0.515, 0.719, 0.948, 1.178, 1.385, 1.568, 1.708, 1.815, 1.891, 1.950, 1.992, 2.022, 2.043, 2.058],
   [-0.035, -0.017, 0.008, 0.043, 0.094, 0.165, 0.261, 0.394, 0.568, 0.789, 1.041, 1.309, 1.554, 1.761, 1.921, 2.043, 2.134, 2.201, 2.249, 2.284, 2.309, 2.327],
   [-0.013, 0.005, 0.031, 0.067, 0.118, 0.188, 0.287, 0.423, 0.608, 0.844, 1.125, 1.421, 1.696, 1.929, 2.111, 2.249, 2.350, 2.425, 2.480, 2.519, 2.546, 2.565],
   [0.003, 0.021, 0.047, 0.083, 0.134, 0.206, 0.307, 0.447, 0.636, 0.884, 1.188, 1.512, 1.813, 2.071, 2.273, 2.427, 2.541, 2.625, 2.687, 2.731, 2.761, 2.783],
   [0.015, 0.033, 0.059, 0.095, 0.146, 0.218, 0.320, 0.461, 0.657, 0.914, 1.235, 1.589, 1.925, 2.209, 2.436, 2.608, 2.736, 2.828, 2.895, 2.943, 2.977, 3.001],
   [0.023, 0.041, 0.067, 0.104, 0.155, 0.227, 0.330, 0.473, 0.671, 0.937, 1.272, 1.648, 2.013, 2.324, 2.570, 2.756, 2.894, 2.995, 3.068, 3.121, 3.158, 3.185],
   [0.030, 0.049, 0.074, 0.111, 0.162, 0.235, 0.337, 0.481, 0.682, 0.955, 1.305, 1.707, 2.102, 2.441, 2.708, 2.910, 3.059, 3.166, 3.245, 3.301, 3.340, 3.369],
   [0.034, 0.052, 0.078, 0.115, 0.167, 0.239, 0.342, 0.487, 0.689, 0.967, 1.329, 1.755, 2.177, 2.546, 2.839, 3.055, 3.217, 3.335, 3.419, 3.480, 3.524, 3.554]],
  [[0.028, 0.044, 0.067, 0.099, 0.144, 0.208, 0.288, 0.392, 0.524, 0.673, 0.814, 0.947, 1.058, 1.141, 1.208, 1.258, 1.295, 1.321, 1.340, 1.353, 1.362, 1.369],
   [0.040, 0.057, 0.083, 0.117, 0.164, 0.229, 0.317, 0.438, 0.592, 0.771, 0.953, 1.131, 1.283, 1.403, 1.493, 1.560, 1.608, 1.643, 1.667, 1.685, 1.697, 1.706],
   [0.045, 0.062, 0.087, 0.123, 0.172, 0.240, 0.339, 0.469, 0.636, 0.844, 1.066, 1.281, 1.470, 1.620, 1.733, 1.816, 1.876, 1.918, 1.948, 1.970, 1.985, 1.996],
   [0.042, 0.061, 0.087, 0.123, 0.173, 0.244, 0.343, 0.480, 0.663, 0.893, 1.149, 1.402, 1.620, 1.798, 1.936, 2.036, 2.107, 2.158, 2.196, 2.223, 2.242, 2.255],
   [0.045, 0.062, 0.089, 0.125, 0.176, 0.248, 0.349, 0.489, 0.682, 0.928, 1.214, 1.502, 1.765, 1.976, 2.135, 2.250, 2.336, 2.397, 2.441, 2.472, 2.494, 2.510],
   [0.043, 0.061, 0.087, 0.123, 0.175, 0.248, 0.351, 0.495, 0.692, 0.953, 1.267, 1.593, 1.885, 2.126, 2.308, 2.441, 2.540, 2.609, 2.658, 2.694, 2.719, 2.737],
   [0.044, 0.063, 0.088, 0.125, 0.177, 0.249, 0.353, 0.499, 0.700, 0.971, 1.306, 1.664, 1.995, 2.264, 2.468, 2.621, 2.730, 2.808, 2.863, 2.903, 2.932, 2.952],
   [0.045, 0.063, 0.089, 0.125, 0.177, 0.250, 0.353, 0.499, 0.702, 0.978, 1.334, 1.722, 2.086, 2.387, 2.614, 2.782, 2.904, 2.991, 3.054, 3.098, 3.130, 3.152],
   [0.044, 0.063, 0.088, 0.125, 0.177, 0.250, 0.353, 0.500, 0.705, 0.987, 1.350, 1.764, 2.160, 2.488, 2.740, 2.927, 3.059, 3.156, 3.226, 3.274, 3.309, 3.333],
   [0.044, 0.062, 0.088, 0.125, 0.177, 0.250, 0.353, 0.499, 0.706, 0.992, 1.368, 1.805, 2.230, 2.587, 2.861, 3.065, 3.212, 3.318, 3.394, 3.446, 3.484, 3.511],
   [0.044, 0.063, 0.088, 0.125, 0.177, 0.250, 0.354, 0.500, 0.706, 0.995, 1.382, 1.844, 2.304, 2.692, 2.992, 3.213, 3.373, 3.487, 3.569, 3.626, 3.667, 3.696],
   [0.044, 0.062, 0.088, 0.125, 0.177, 0.250, 0.354, 0.500, 0.707, 0.997, 1.392, 1.875, 2.367, 2.784, 3.105, 3.342, 3.512, 3.634, 3.722, 3.784, 3.829, 3.860]],
  [[0.499, 0.512, 0.538, 0.576, 0.628, 0.706, 0.808, 0.961, 1.148, 1.374, 1.564, 1.737, 1.870, 1.973, 2.047, 2.100, 2.135, 2.162, 2.181, 2.194, 2.204, 2.210],
   [0.354, 0.372, 0.400, 0.438, 0.492, 0.570, 0.690, 0.860, 1.084, 1.346, 1.613, 1.847, 2.026, 2.160, 2.257, 2.328, 2.378, 2.414, 2.439, 2.457, 2.470, 2.479],
   [0.266, 0.285, 0.313, 0.350, 0.402, 0.483, 0.595, 0.761, 0.987, 1.281, 1.602, 1.887, 2.109, 2.281, 2.405, 2.495, 2.557, 2.602, 2.633, 2.655, 2.671, 2.683],
   [0.204, 0.222, 0.247, 0.286, 0.340, 0.419, 0.535, 0.700, 0.934, 1.240, 1.606, 1.949, 2.222, 2.425, 2.573, 2.679, 2.755, 2.809, 2.847, 2.874, 2.893, 2.907],
   [0.157, 0.175, 0.201, 0.238, 0.292, 0.368, 0.479, 0.641, 0.878, 1.206, 1.602, 1.982, 2.290, 2.529, 2.702, 2.827, 2.916, 2.979, 3.023, 3.055, 3.077, 3.092],
   [0.125, 0.144, 0.170, 0.207, 0.259, 0.335, 0.444, 0.602, 0.836, 1.167, 1.589, 2.016, 2.378, 2.650, 2.847, 2.991, 3.091, 3.162, 3.213, 3.249, 3.274, 3.292],
   [0.101, 0.120, 0.146, 0.183, 0.235, 0.310, 0.418, 0.574, 0.801, 1.132, 1.568, 2.037, 2.442, 2.752, 2.976, 3.134, 3.247, 3.328, 3.385, 3.425, 3.454, 3.474],
   [0.085, 0.103, 0.129, 0.166, 0.218, 0.294, 0.401, 0.553, 0.776, 1.103, 1.563, 2.075, 2.519, 2.859, 3.105, 3.284, 3.411, 3.501, 3.564, 3.609, 3.640, 3.663],
   [0.073, 0.091, 0.117, 0.154, 0.206, 0.281, 0.386, 0.537, 0.756, 1.079, 1.543, 2.085, 2.573, 2.945, 3.217, 3.411, 3.549, 3.648, 3.718, 3.767, 3.802, 3.827],
   [0.064, 0.082, 0.108, 0.145, 0.197, 0.271, 0.376, 0.526, 0.741, 1.059, 1.524, 2.094, 2.622, 3.033, 3.323, 3.537, 3.689, 3.797, 3.872, 3.926, 3.964, 3.991],
   [0.058, 0.077, 0.103, 0.139, 0.191, 0.265, 0.369, 0.518, 0.732, 1.046, 1.509, 2.098, 2.669, 3.111, 3.430, 3.661, 3.826, 3.941, 4.022, 4.080, 4.122, 4.151],
   [0.054, 0.073, 0.099, 0.135, 0.187, 0.261, 0.365, 0.513, 0.725, 1.034, 1.496, 2.102, 2.700, 3.172, 3.524, 3.772, 3.948, 4.074, 4.162, 4.225, 4.270, 4.301]],
];
const FIRST = { size: 3, scale: -3.5 };

/** The lift of a typical crowd between the stored sizes and scales; `share` is 0, 1 or 2. */
export function liftOf(share, n, beta) {
  const table = LIFTS[share], i = Math.log2(n) - FIRST.size, j = 2 * (Math.log2(beta) - FIRST.scale);
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

let drawn = { seed: NaN };

/** The n others of a row as they are drawn: the first are those of a smaller crowd. */
function rowOf(seed) {
  if (drawn.seed !== seed) {
    const random = new Random("needle", seed), scores = new Float64Array(MOST);
    for (let i = 0; i < MOST; i += 1) scores[i] = random.normal();
    drawn = { seed, scores };
  }
  return drawn.scores;
}

const crowds = new Map();

/** The scores of the n others, largest first. */
export function crowdOf(seed, n) {
  const key = `${seed} ${n}`;
  if (!crowds.has(key)) {
    if (crowds.size > 20) crowds.clear();
    crowds.set(key, rowOf(seed).slice(0, n).sort().reverse());
  }
  return crowds.get(key);
}

/** log Σ exp(βz) of scores, largest first. */
function logSum(sorted, beta) {
  const top = sorted[0], last = top - NEGLIGIBLE / beta;
  let total = 0;
  for (const score of sorted) {
    if (score < last) break;
    total += Math.exp(beta * (score - top));
  }
  return beta * top + Math.log(total);
}

const curves = new Map();

/** log Σ exp(βz) of the others for all β of the curve: no height of the needle changes it. */
function curveOf(seed, n) {
  const key = `${seed} ${n}`;
  if (!curves.has(key)) {
    if (curves.size > 50) curves.clear();
    const sorted = crowdOf(seed, n);
    curves.set(key, GRID.map(beta => logSum(sorted, beta)));
  }
  return curves.get(key);
}

/** The weights of the needle and the strongest others, and what the rest have together. */
export function weigh(sorted, height, beta) {
  const total = logSum(sorted, beta);
  const needle = 1 / (1 + Math.exp(total - beta * height));
  const others = 1 / (1 + Math.exp(beta * height - total)); // 1 - needle, without its rounding
  const strongest = Array.from(sorted.subarray(0, TOP), z => others * Math.exp(beta * z - total));
  const rest = Math.max(0, others - strongest.reduce((sum, weight) => sum + weight, 0));
  return { needle, others, strongest, rest };
}

function compute(state) {
  const { n, height, b: beta, seed } = state, sorted = crowdOf(seed, n);
  const curve = curveOf(seed, n).map((total, i) => [GRID[i],
    1 / (1 + Math.exp(total - GRID[i] * height))]);
  const typical = [0, 1, 2].map(share => GRID.map(b => [b, weightAt(n, b, height, liftOf(share, n, b))]));
  const best = curve.reduce((found, point) => (point[1] > found[1] ? point : found));
  return { ...state, curve, typical, best, top: sorted[0], ...weigh(sorted, height, beta),
    median: weightAt(n, beta, height, liftOf(1, n, beta)) };
}

function drawWeights(area, view) {
  const y = linear([0, 1], [area.floor, area.top + 14]);
  const step = (area.right - area.left) / (TOP + 4.5);
  const marks = [], tall = (weight, from, width, look, name) => {
    const middle = area.left + (from + width / 2) * step;
    marks.push(bar(area.left + (from + 0.1) * step, y(weight), (width - 0.2) * step, area.floor, look));
    if (name) marks.push(words(name, middle, area.floor + 19));
    return middle;
  };
  const needle = tall(view.needle, 0, 1.5, "live-top", "needle");
  view.strongest.forEach((weight, i) => tall(weight, 1.5 + i, 1, "live-bar"));
  const middle = area.left + (1.5 + Math.min(TOP, view.n) / 2) * step;
  marks.push(words(percent(view.needle), Math.max(needle, area.left + 22), y(view.needle) - 7, "middle",
    "live-hot"), words(`the ${TOP} next`, middle, area.floor + 19));
  if (view.strongest[0] > 0.05)
    marks.push(words(percent(view.strongest[0]), area.left + 2 * step + 4, y(view.strongest[0]) - 7, "middle",
      "live-strong"));
  if (view.n > TOP) {
    const at = tall(view.rest, 1.5 + TOP, 3, "live-crowd", `${whole(view.n - TOP)} more`);
    marks.push(words(percent(view.rest), Math.min(at, area.right - 20), y(view.rest) - 7, "middle", "live-strong"));
  }
  return [...marks, level(area.floor + 0.5, area.left, area.right, "live-axis")];
}

function drawCurve(area, view) {
  const x = logarithmic([WARMEST, COLDEST], [area.left, area.right]);
  const y = linear([0, 1], [area.floor, area.top + 6]), here = [x(view.b), y(view.needle)];
  const [low, median, high] = view.typical;
  const right = view.b > 3;
  const marks = [beside(area, y, { ticks: [0, 0.5, 1], format: tick => `${100 * tick}\u202f%`,
    label: "the needle's weight" })];
  if (view.shown) {
    const seen = points => points.filter(([at]) => at <= view.shown * 1.001);
    marks.push(line([...seen(low), ...seen(high).reverse()], x, y, "live-band live-calm-band"),
      line(seen(median), x, y, "live-calm"), line(seen(view.curve), x, y),
      words("typical row; band: 8 of 10", area.left + 6, area.top + 12, "start", "live-good"),
      words("this row", area.left + 6, area.top + 30, "start", "live-hot"));
  }
  return [...marks,
  upright(here[0], here[1], area.floor, "live-reference"),
  shape("circle", { class: "live-top", cx: here[0], cy: here[1], r: 6 }),
  words(percent(view.needle), here[0] + (right ? -10 : 10), here[1] + (view.needle > 0.9 ? 18 : -9),
    right ? "end" : "start", "live-hot"),
  below(area, x, { ticks: [0.1, 1, 10, 100], format: short, label: "scale b = β√d" })];
}

const rough = b => short(Number(b.toPrecision(2)));

const number = x => short(Number(x.toPrecision(3)));

function say(view) {
  const why = view.needle > 0.5 ? ". " : view.rest > view.strongest[0]
    ? ": the many others, with little weight each, outvote it. "
    : ": a key with a higher score is ahead. ";
  const best = view.height > view.top
    ? `Every other key here scores below ${number(view.height)}, so a larger b gives it more. `
    : `Another key here scores ${number(view.top)}; the best b, ${rough(view.best[0])}, gives the needle ` +
      `${percent(view.best[1])}. `;
  return [`At b = ${short(view.b)} the needle gets `, [percent(view.needle)], why,
    view.shown < COLDEST ? "" : best, `In a typical row it gets ${percent(view.median)} at this b.`];
}

function table(view) {
  const [low, median, high] = view.typical;
  return {
    note: "The other scores are standard normal. Typical is the median of 4001 rows; a tenth of the " +
      "rows give less than the lowest tenth, and a tenth more than the highest.",
    head: ["b", "this row", "lowest tenth", "typical", "highest tenth"],
    rows: GRID.map((b, i) => [b, i]).filter(([, i]) => i % 5 === 0).map(([b, i]) => [rough(b),
      fixed(view.curve[i][1], 4), ...[low, median, high].map(curve => fixed(curve[i][1], 3))]),
  };
}

const spec = {
  label: "A needle among n keys",
  bet: {
    question: "One key, the needle, scores D above the mean of the others, whose standard deviation is 1. " +
      "At which scale b will it get more than half of the weight? (At b = 1 the scores are divided by √d, no more.)",
    label: "your bet, b",
    range: { min: WARMEST, max: COLDEST, reach: [0.125, 64], step: 0.25, start: 1, log: true },
    reveal: () => OCTAVES.map(b => ({ b, shown: b < OCTAVES.at(-1) ? b : COLDEST })),
    wait: bet => `You bet b = ${short(bet)}. Watch b grow …`,
    reply: (bet, view) => `You bet b = ${short(bet)}: it gives the needle ` +
      `${percent(weigh(crowdOf(view.seed, view.n), view.height, bet).needle)} here. ` +
      (view.height > view.top ? "In this row more is always better, for the needle scores highest. "
        : `In this row no b gives more than ${percent(view.best[1])}, for another key scores higher. `) +
      "Now redraw the others: is it so in every row?",
  },
  controls: [
    slider({ key: "b", label: "scale b", min: WARMEST, max: COLDEST, reach: [0.125, 64], step: 0.25,
      start: 1, log: true, integer: false }),
    slider({ key: "n", label: "other keys n", min: LEAST, max: MOST, reach: [16, MOST], start: 1024, log: true }),
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
      said: view => `Bars: the needle's weight ${percent(view.needle)}, that of the strongest other key ` +
        `${percent(view.strongest[0])}, and beyond the ${TOP} strongest together ${percent(view.rest)}` },
    { height: 240, margin: { left: 46, top: 28, right: 14 }, draw: drawCurve,
      said: view => "Curve of the needle's weight against b in this row, on that of a typical row with a " +
        `band for four rows of five; ${percent(view.needle)} at b = ${short(view.b)}` },
  ],
  compute, say, table,
};

export default { render: place => figure(place, spec) };
