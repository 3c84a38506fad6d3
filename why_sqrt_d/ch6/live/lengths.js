/* More and more keys of some geometry: which scale leaves the best of them half of the weight?

   As in `why_sqrt_d.ch6.lengths`, scores are in units of √d and the scale b in units of 1/√d. */
import { below, beside, bisectRight, choice, few, figure, line, linear, logarithmic, Memory, percent, point,
  Random, rounded, shape, slider, sum, upright, value, whole, words } from "../../live/parts.js";

const LEAST = 16, MOST = 16384, LAST = 65536; // of rows, and of the stored curve
const LOW = 1 / 16, HIGH = 16384; // of b
const FAR = 8; // the gaps on the axis, in logits
const STEPS = [256, 1024, 4096, MOST]; // the bet is about the first and the last
const PLACES = Array.from({ length: 241 }, (_, i) => FAR * i / 240);

/** Scores of `count` keys uniform on the sphere of mean square one, in d dimensions. */
function spherical(random, count, d) {
  return Float64Array.from({ length: count }, () => {
    const x = random.normal();
    return Math.sqrt(d) * x / Math.sqrt(x * x + random.chiSquared(d - 1));
  });
}

/** Scores of a cluster of keys √ρ·c + √(1-ρ)·ε; the first is the query itself. */
function clustered(random, count, d, overlap) {
  const drawn = Array.from({ length: d }, () => random.normal()), length = Math.hypot(...drawn);
  const centre = drawn.map(x => x * Math.sqrt(d) / length);
  const query = centre.map(x => Math.sqrt(overlap) * x + Math.sqrt(1 - overlap) * random.normal());
  const mean = Math.sqrt(overlap) * sum(query, (q, i) => q * centre[i]) / Math.hypot(...query);
  const scores = Float64Array.from({ length: count }, () => mean + Math.sqrt(1 - overlap) * random.normal());
  scores[0] = Math.sqrt(d);
  return scores;
}

/** A row of scores: the first n are those of n keys. A d of 0 stands for independent normal ones. */
export function drawRow(seed, { kind, d, overlap }, count = MOST) {
  const random = new Random("lengths", kind, d, overlap, seed);
  if (kind === "sphere") return spherical(random, count, d);
  if (kind === "cluster") return clustered(random, count, d, overlap);
  return Float64Array.from({ length: count }, () => random.normal());
}

/** How far each score lies below the largest, smallest first, the best key itself not counted. */
export function gapsOf(scores) {
  const sorted = Float64Array.from(scores).sort(), top = sorted.at(-1);
  return sorted.reverse().map(score => top - score).subarray(1);
}

/** Σ exp(-b·gap): how many times the best key's weight the others have together. */
export function worth(gaps, b) {
  return sum(gaps, gap => Math.exp(-b * gap));
}

/** The b at which the best key has half of the weight, by Newton's method from 0: for three keys or more. */
export function halfScale(gaps) {
  if (gaps[0] === 0) return Infinity;
  for (let b = 0; ;) {
    const rivals = worth(gaps, b), slope = sum(gaps, gap => gap * Math.exp(-b * gap));
    const step = Math.log(rivals) * rivals / slope;
    b += step;
    if (!(step > 1e-9 * b)) return b;
  }
}

/** How many of the gaps, smallest first, are at most `reach`. */
export const within = bisectRight;

const kept = new Memory(40);

const bounded = b => Math.min(Math.max(Number(b.toPrecision(4)), LOW), HIGH);

/** The figure over `data`: `sizes`, and `geometries` with what is measured and predicted at each. */
export function specOf(data) {
  const geometries = new Map(data.geometries.map(one => [one.key, one]));
  const timesOf = ({ half }, n) => half[data.sizes.indexOf(n)] / half[data.sizes.indexOf(STEPS[0])];
  const placeOf = keys => 1 + data.geometries.findIndex(({ key }) => key === keys);

  function compute(state) {
    const { keys, n, b, seed } = state, geometry = geometries.get(keys);
    const row = kept.recall(`${keys} ${seed}`, () => drawRow(seed, geometry));
    const { gaps, half } = kept.recall(`${keys} ${seed} ${n}`, () => {
      const found = gapsOf(row.subarray(0, n));
      return { gaps: found, half: halfScale(found) };
    });
    const rivals = worth(gaps, b);
    return { ...state, geometry, gaps, half, rivals, best: 1 / (1 + rivals), open: state.shown === placeOf(keys),
      counts: PLACES.map(gap => [gap, within(gaps, gap / b) || NaN]) };
  }

  function drawCounts(area, view) {
    const x = linear([0, FAR], [area.left, area.right]), y = logarithmic([0.8, MOST], [area.floor, area.top]);
    const close = within(view.gaps, 3 / view.b);
    return [beside(area, y, { ticks: [1, 16, 256, 4096], format: whole, label: "competitors within the gap" }),
      line([[0, 1], [FAR, Math.exp(FAR)]], x, y, "live-reference"),
      words("e to the gap", x(4.9), y(Math.exp(5.4)), "end"),
      line(view.counts, x, y),
      words(`${close ? whole(close) : "none"} within 3 logits`, area.left + 8, area.top + 10, "start", "live-hot"),
      below(area, x, { ticks: [0, 2, 4, 6, 8], label: "gap below the best logit" })];
  }

  function drawScales(area, view) {
    const x = logarithmic([LEAST, LAST], [area.left, area.right]);
    const y = logarithmic([LOW, 20000], [area.floor, area.top]);
    const points = data.sizes.map((n, i) => [n, view.geometry.half[i]]);
    const marks = [beside(area, y, { ticks: [0.1, 1, 10, 100, 1000, 10000], label: "scale b" })];
    if (view.open) {
      if (view.geometry.law.length)
        marks.push(line(data.sizes.map((n, i) => [n, view.geometry.law[i]]), x, y, "live-reference"));
      marks.push(line(points, x, y, "live-calm"),
        ...points.map(([n, b]) => shape("circle", { class: "live-bar", cx: x(n), cy: y(b), r: 3.5 })),
        words("typical row, best key at half", area.left + 6, area.top + 10, "start", "live-good"),
        words(view.geometry.grows, area.left + 6, area.top + 28, "start", "live-good"));
    } else marks.push(words("bet to see the typical row", area.left + 6, area.top + 28, "start"));
    return [...marks, upright(x(view.n), y(view.b), area.floor),
      ...point(x(view.n), y(view.b), percent(view.best), view.n <= 900, view.b > 2000 ? 18 : -9),
      below(area, x, { ticks: [16, 256, 4096, 65536], format: whole, label: "keys n" })];
  }

  function say(view) {
    return [`At b = ${rounded(view.b)} the best of ${whole(view.n)} keys has `, [percent(view.best)],
      " of the weight: the others together have ", [few(view.rivals)], " times as much. In this row it has half " +
      `at b = ${rounded(view.half)}.`];
  }

  function table(view) {
    return {
      note: "The scale that gives the best key half of the weight: median of 2000 stored rows, uncertain by about " +
        "2 %, and what the course's laws predict where they can.",
      head: ["keys n", "typical row", "times that of 256", "law"],
      rows: data.sizes.map((n, i) => [whole(n), rounded(view.geometry.half[i]), rounded(timesOf(view.geometry, n)),
        view.geometry.law.length ? rounded(view.geometry.law[i]) : "–"]),
    };
  }

  return {
    label: "The scale that a length needs",
    bet: {
      question: "From 256 keys to 16\u202f384, how many times larger must b become, so that the best key keeps half " +
        "of the weight? Bet for Gaussian keys; then choose a cluster, then a sphere with d = 3.",
      label: "your bet, ×",
      range: { min: 1, max: 1024, step: 0.25, start: 8, log: true },
      reveal: state => STEPS.map(n => ({ n, b: bounded(compute({ ...state, n }).half),
        shown: n < MOST ? 0 : placeOf(state.keys) })),
      wait: bet => `You bet ${rounded(bet)} times. Watch the keys join …`,
      reply: (bet, { geometry }) => `You bet ${rounded(bet)} times. In the typical row b grows ` +
        `${rounded(timesOf(geometry, MOST))} times. Now choose other keys and bet again.`,
    },
    controls: [
      choice({ key: "keys", label: "keys", options: data.geometries.map(({ key, words: said }) => [key, said]) }),
      slider({ key: "n", label: "keys n", min: LEAST, max: MOST, start: 256, log: true }),
      slider({ key: "b", label: "scale b", min: LOW, max: HIGH, step: 0.25, start: 4, log: true, integer: false }),
    ],
    fields: [
      value({ key: "seed", min: 1, max: 999999, start: 8 }),
      value({ key: "shown", min: 0, max: data.geometries.length, start: 0 }), // whose typical row, from 1 up
    ],
    actions: [
      ["Find the half", (_, view) => ({ b: bounded(view.half) })],
      ["Redraw", ({ seed }) => ({ seed: seed + 1 })],
    ],
    plots: [
      { height: 260, margin: { left: 46, top: 28, right: 10 }, draw: drawCounts,
        said: view => "How many competitors are within a gap of the best logit, on a logarithmic axis: " +
          `${within(view.gaps, 3 / view.b)} within 3, ${within(view.gaps, FAR / view.b)} within ${FAR}` },
      { height: 260, margin: { left: 50, top: 28, right: 22 }, draw: drawScales,
        said: view => (view.open ? "The scale at which the best key of a typical row has half of the weight, against " +
          `the number of keys, ${view.geometry.grows}; and this` : "This") +
          ` row, with ${percent(view.best)} at b = ${rounded(view.b)}` },
    ],
    compute, say, table,
  };
}

export default { render: place => figure(place, specOf(place.model.get("data"))) };
