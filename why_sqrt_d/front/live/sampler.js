/* Draw scores q·k, and one row of attention: what d does to them, and what dividing by √d does. */
import { bars, below, bin, choice, columns, figure, fixed, LAWS, level, line, linear, max, median, Memory,
  moments, normalDensity, percent, Random, scoreDensity, shape, slider, softmax, sum, toggle, value, whole,
  words } from "../../live/parts.js";

const MANY = 2000;
const KEYS = 10;
const LEAST = 4, MOST = 1024;
const LIMIT = 110; // where the axis of the scores ends at every d, so that one sees them spread
const ROWS = 20_001; // for the bet's answer
const BET = 64; // the dimension at first, which the bet is about
const TYPICAL = 603; // a seed whose row is near the typical one at every d, divided or not

const drawn = new Memory(60); // scores by law, seed and d, and rows

/** The scores of 2 000 pairs in dimension d. The same pairs grow with d: what is added between one
    power of two and the next is drawn once. */
export function scoresAt(law, seed, d) {
  return drawn.recall(`${law} ${seed} ${d}`, () => {
    const power = 2 ** Math.floor(Math.log2(d)), before = d > power ? power : d > LEAST ? d / 2 : 0;
    const start = before ? scoresAt(law, seed, before) : new Float64Array(MANY);
    const random = new Random("scores", law, seed, d), { products } = LAWS[law];
    return start.map(score => score + products(random, d - before));
  });
}

/** Row number `index`: one query against ten keys, in dimension d. */
export function rowAt(law, seed, index, d) {
  const [query, ...keys] = drawn.recall(`row ${law} ${seed} ${index}`, () => {
    const random = new Random("row", law, seed, index);
    return Array.from({ length: KEYS + 1 }, () =>
      Float64Array.from({ length: MOST }, () => LAWS[law].draw(random)));
  });
  return keys.map(key => sum(query.subarray(0, d), (q, i) => q * key[i]));
}

/** The median over random rows of normal components of the largest of ten weights. */
export function typicalTop(d, scale) {
  const random = new Random("typical", d);
  return median(Array.from({ length: ROWS }, () => {
    const length = Math.sqrt(random.chiSquared(d));
    return max(softmax(Array.from({ length: KEYS }, () => scale * length * random.normal())));
  }));
}

function compute(state) {
  const { d, law, scaled, seed, drawn } = state;
  const scale = scaled ? 1 / Math.sqrt(d) : 1, deviation = scale * Math.sqrt(d);
  const undivided = scoresAt(law, seed, d).subarray(0, drawn);
  const scores = undivided.map(score => scale * score);
  // One set of bins for divided and undivided scores: dividing makes them narrow.
  const wide = 0.25 * Math.sqrt(d), width = scale * wide, edges = Math.min(28, Math.floor(LIMIT / wide));
  const thresholds = Array.from({ length: 2 * edges + 1 }, (_, i) => (i - edges) * wide);
  const before = bin().domain([-edges * wide, edges * wide]).thresholds(thresholds)(undivided)
    .map(found => [found.x0, found.x1, found.length]);
  const bins = before.map(([from, to, count]) => [scale * from, scale * to, count]);
  const density = law === "normal" ? x => scoreDensity(x / scale, d) / scale
    : x => normalDensity(x, 0, deviation ** 2);
  const reach = Math.min(LIMIT, 5 * deviation);
  const curve = Array.from({ length: 121 }, (_, i) => {
    const x = reach * (i / 60 - 1);
    return [x, drawn * width * density(x)];
  });
  const weights = softmax(rowAt(law, seed, drawn, d).map(score => scale * score));
  const outline = scaled && drawn === MANY ? before.flatMap(([from, to, count]) => [[from, count], [to, count]]) : [];
  return { ...state, scale, deviation, scores, bins, curve, outline, weights,
    top: max(weights), spread: drawn > 1 ? Math.sqrt(moments(scores).variance) : NaN };
}

function drawScores(area, view) {
  const x = linear([-LIMIT, LIMIT], [area.left, area.right]);
  const peak = Math.max(4, max(view.bins, one => one[2]), max(view.curve, one => one[1]));
  const y = linear([0, peak], [area.floor, area.top + 8]);
  const marks = [line(view.outline, x, y, "live-reference live-ghost"), columns(view.bins, x, y, "live-bars", 0),
    line(view.curve, x, y)];
  if (view.drawn < MANY) {
    const last = view.scores[view.drawn - 1];
    const [from, to, count] = view.bins.find(one => last < one[1]) ?? view.bins.at(-1);
    marks.push(shape("rect", { class: "live-top", x: x(from), width: x(to) - x(from), y: y(count),
      height: y(count - 1) - y(count) }),
    words(fixed(last, 1), (x(from) + x(to)) / 2, y(count) - 6, "middle", "live-hot"));
  }
  const side = x(-2.2 * view.deviation) - 8;
  const name = view.law === "normal" ? "exact density" : "normal curve";
  if (view.scaled)
    marks.push(words("divided by √d", x(0.95 * Math.sqrt(view.d)) + 6, y(peak * 0.93), "start", "live-good"),
      ...(view.outline.length
        ? [words("undivided", x(1.75 * Math.sqrt(view.d)) + 6, y(peak * 0.36), "start", "live-strong")] : []));
  else if (side > area.left + 90) marks.push(words(name, side, y(peak * 0.2), "end", "live-hot"));
  else marks.push(words(name, area.left, area.top + 4, "start", "live-hot"));
  return [...marks, below(area, x, { label: view.scaled ? "q·k, and q·k / √d" : "score q·k", ticks: x.ticks(5) })];
}

function drawWeights(area, view) {
  const y = linear([0, 1], [area.floor, area.top + 14]);
  const best = view.weights.indexOf(view.top);
  const marks = bars(area, y, view.weights.map((weight, i) => ({ weight, name: String(i + 1),
    ...(i === best ? { look: "live-top", label: percent(weight) } : {}) })));
  const [side, anchor] = best > 4 ? [area.left, "start"] : [area.right, "end"]; // away from the top's
  const lines = [0.5, 1].flatMap(share => [level(y(share), area.left, area.right, "live-grid"),
    words(percent(share), side, y(share) - 5, anchor)]);
  return [...lines, marks,
    words("key", (area.left + area.right) / 2, area.floor + 39, "middle", "live-label")];
}

function say(view) {
  const exact = view.scaled ? "exactly 1 at every d" : `exactly √${whole(view.d)} = ${fixed(Math.sqrt(view.d), 1)}`;
  const spread = view.drawn === 1
    ? ["One score: ", [fixed(view.scores[0], view.scaled ? 2 : 1)], ". "]
    : [`The ${whole(view.drawn)} scores spread by `, [fixed(view.spread, view.scaled ? 2 : 1)],
      ` (${exact}). `];
  return [...spread, `At d = ${whole(view.d)} the top key of this row takes `, [percent(view.top)], " of the weight."];
}

function table(view) {
  return {
    note: (view.law === "normal" ? "The curve is the exact density, a Bessel function."
      : "The curve is the normal density of the same variance.") + " The same pairs grow with d.",
    head: ["key", "weight", "q·k" + (view.scaled ? " / √d" : "")],
    rows: rowAt(view.law, view.seed, view.drawn, view.d).map((score, i) => [
      String(i + 1), fixed(view.weights[i], 4), fixed(score * view.scale, 2)]),
  };
}

export default figure({
  label: "Random scores and one row of weights",
  bet: {
    question: `Below, q and k are random vectors of d = ${BET} components, as in many a model, and the top one of ten ` +
      "keys has nearly all the weight. How much will it have when every score is divided by √d?",
    label: "your bet, %",
    reveal: () => [{ d: BET, scaled: true, law: "normal" }],
    wait: bet => `You bet ${whole(bet)} %.`,
    reply: (bet, view) => `You bet ${whole(bet)} %. Divided by √d, the top key of this row gets ${percent(view.top)}; ` +
      `in a typical row it gets ${percent(typicalTop(BET, 1 / Math.sqrt(BET)))}. Now make the vectors wider, ` +
      "with the division and without.",
  },
  controls: [
    slider({ key: "d", label: "dimension d", min: LEAST, max: MOST, start: BET, log: true }),
    choice({ key: "law", label: "components",
      options: Object.entries(LAWS).map(([key, law]) => [key, law.label]) }),
    toggle({ key: "scaled", label: "divide by √d" }),
  ],
  fields: [
    value({ key: "seed", min: 1, max: 999999, start: TYPICAL }),
    value({ key: "drawn", min: 1, max: MANY, start: MANY }),
  ],
  actions: [
    ["Draw one", ({ seed, drawn }) => (drawn < MANY ? { drawn: drawn + 1 } : { seed: seed + 1, drawn: 1 })],
    ["Draw 2000", ({ seed, drawn }) => (drawn < MANY ? { drawn: MANY } : { seed: seed + 1 })],
  ],
  plots: [
    { title: "The scores", height: 250, draw: drawScores,
      description: view => `Histogram of ${whole(view.drawn)} scores, d = ${view.d}, ` +
        (view.drawn > 1 ? `standard deviation ${fixed(view.spread, 2)}` : "the first of a new draw") },
    { title: "One query's weights", height: 250, draw: drawWeights,
      description: view => `Bars: softmax weights of one query over ten keys; the largest is ${percent(view.top)}` },
  ],
  compute, say, table,
});
