/* Break one assumption of the variance proof, by as much as you like, and see what Var(q·k) does. */
import { below, bin, choice, columns, figure, fixed, LAWS, level, line, linear, max, Memory, moments,
  normalDensity, Random, short, slider, upright, value, whole, words } from "../../live/parts.js";

const MANY = 4000;
const normal = LAWS.normal.products;

/** q and k each equicorrelated normal: the constant direction, and d - 1 others that are alike. */
function correlated(query, key) {
  return {
    exact(d) {
      const top = (1 + (d - 1) * query) * (1 + (d - 1) * key), rest = (1 - query) * (1 - key);
      const variance = d + d * (d - 1) * query * key;
      return { mean: 0, variance, trace: variance, means: 0,
        kurtosis: 3 + 6 * (top ** 2 + (d - 1) * rest ** 2) / variance ** 2 };
    },
    score: (random, d) =>
      Math.sqrt((1 + (d - 1) * query) * (1 + (d - 1) * key)) * random.normal() * random.normal() +
      Math.sqrt((1 - query) * (1 - key)) * normal(random, d - 1),
  };
}

/** What can be broken: `at(strength)` gives the exact moments, a draw, and words for the strength.
    `trace` is tr(Σ_q Σ_k), `means` what the means add; without them q and k are not independent. */
export const BROKEN = {
  none: {
    label: "none: all hold",
    at: () => ({ ...correlated(0, 0), words: "All assumptions hold" }),
  },
  means: {
    label: "means are zero",
    at: mean => ({
      words: `Every component has mean μ = ${short(mean)}`,
      exact: d => {
        const [trace, means, square] = [d, 2 * d * mean ** 2, mean ** 2];
        // One centred product is a·v + a·u + u·v with standard normal u and v.
        const fourth = 12 * square ** 2 + 36 * square + 9, one = 1 + 2 * square;
        return { mean: d * square, variance: trace + means, trace, means,
          kurtosis: 3 + (fourth / one ** 2 - 3) / d };
      },
      // With u = (q + k)/√2 and v = (q - k)/√2, Σ qk = (Σ u² - Σ v²)/2 and Σ (q + k) = √2 Σ u.
      score: (random, d) => {
        const along = random.normal();
        return (along * along + random.chiSquared(d - 1) - random.chiSquared(d)) / 2 +
          mean * Math.sqrt(2 * d) * along + d * mean * mean;
      },
    }),
  },
  inside: {
    label: "no correlation inside q",
    at: rho => ({ ...correlated(rho, 0), words: `Components of q have correlation ${short(rho)}` }),
  },
  both: {
    label: "no correlation inside q or k",
    at: rho => ({ ...correlated(rho, rho),
      words: `Components have correlation ${short(rho)}, inside q and inside k` }),
  },
  aligned: {
    label: "q independent of k",
    at: rho => ({
      words: `Each pair (qᵢ, kᵢ) has correlation ${short(rho)}`,
      exact: d => ({ mean: rho * d, variance: d * (1 + rho ** 2),
        kurtosis: 3 + 6 * (1 + 6 * rho ** 2 + rho ** 4) / (d * (1 + rho ** 2) ** 2) }),
      score: (random, d) =>
        (1 + rho) / 2 * random.chiSquared(d) - (1 - rho) / 2 * random.chiSquared(d),
    }),
  },
};

/** Scores of a broken law, in one piece. */
export function draws(broken, strength, d, seed, count = MANY) {
  const random = new Random("assumptions", broken, seed), { score } = BROKEN[broken].at(strength);
  return Float64Array.from({ length: count }, () => score(random, d));
}

const kept = new Memory(1);

function compute(state) {
  const { broken, strength, d, seed } = state, law = BROKEN[broken].at(strength);
  const root = Math.sqrt(d), exact = law.exact(d);
  const scores = kept.recall([broken, strength, d, seed].join(" "),
    () => draws(broken, strength, d, seed).map(score => score / root));
  const mean = exact.mean / root, spread = Math.sqrt(exact.variance / d);
  const reach = Math.max(4.2, 3.4 * spread + Math.abs(mean));
  const limits = mean > 0 ? [-Math.max(4.2, 3.4 * spread - mean), reach] : [-reach, reach];
  const width = (limits[1] - limits[0]) / 90, first = Math.floor(limits[0] / width) - 0.5;
  const thresholds = Array.from({ length: 94 }, (_, i) => (first + i) * width);
  const bins = bin().domain([thresholds[0], thresholds.at(-1)]).thresholds(thresholds)(scores)
    .filter(one => one.x0 >= limits[0] && one.x1 <= limits[1])
    .map(one => [one.x0, one.x1, one.length / (MANY * width)]);
  return { ...state, law, exact, scores, limits, bins, mean, spread, measured: moments(scores) };
}

function draw(area, view) {
  const x = linear(view.limits, [area.left, area.right]);
  const y = linear([0, Math.max(0.42, Math.min(0.9, max(view.bins, one => one[2])))],
    [area.floor, area.top + 6]);
  const shown = view.bins.map(([from, to, height]) => [from, to, Math.min(height, y.domain()[1])]);
  const standard = Array.from({ length: 101 }, (_, i) => {
    const at = -4.2 + i * 0.084;
    return [at, normalDensity(at, 0, 1)];
  });
  const marks = [columns(shown, x, y), line(standard, x, y, "live-reference")];
  const low = x(view.mean - view.spread), high = x(view.mean + view.spread), at = area.top + 2;
  marks.push(level(at, low, high, "live-span"), upright(low, at - 5, at + 5, "live-span"),
    upright(high, at - 5, at + 5, "live-span"));
  const beyond = x(1.1) + 130 < area.right;
  marks.push(words("variance 1: N(0, 1)", beyond ? x(1.1) + 8 : area.right,
    y(normalDensity(beyond ? 1 : 0.6, 0, 1)) - 8, beyond ? "start" : "end", "live-text"));
  marks.push(words(`standard deviation ${fixed(view.spread, 2)}`, Math.min(area.right - 80, Math.max(area.left + 80, (low + high) / 2)),
    area.top - 6, "middle", "live-hot"));
  return [...marks, below(area, x, { label: "q·k / √d" })];
}

function say(view) {
  const { exact, d } = view, ratio = exact.variance / d;
  const why = exact.trace === undefined
    ? ["q and k are not independent, so the theorem is silent: "]
    : ["Σ", { low: "q" }, " times Σ", { low: "k" }, `, entry by entry, adds up to ${short(exact.trace)}`,
      exact.means ? `, the means add ${short(exact.means)}: ` : ": "];
  return [`${view.law.words}. `, ...why, `Var(q·k) is exactly `, [short(exact.variance)],
    `, which is `, [short(ratio)], ` times d = ${whole(d)}; the ${whole(MANY)} draws have ` +
    `${short(Number((view.measured.variance * d).toPrecision(3)))}.`];
}

function table(view) {
  return {
    head: ["q·k / √d", "exact", `measured, ${whole(MANY)} draws`],
    rows: [
      ["mean", fixed(view.mean, 3), fixed(view.measured.mean, 3)],
      ["variance", fixed(view.spread ** 2, 3), fixed(view.measured.variance, 3)],
      ["kurtosis", fixed(view.exact.kurtosis, 3), fixed(view.measured.kurtosis, 3)],
    ],
  };
}

export default figure({
  label: "The proof's assumptions, broken one at a time",
  question: "One of these four departures makes Var(q·k) grow faster than d. Which? Choose one, push the " +
    "strength up, then turn d.",
  controls: [
    choice({ key: "broken", label: "break", start: "means",
      options: Object.entries(BROKEN).map(([key, one]) => [key, one.label]) }),
    slider({ key: "strength", label: "strength", min: 0, max: 1, step: 0.05, start: 0.5,
      integer: false }),
    slider({ key: "d", label: "dimension d", min: 2, max: 1024, start: 64, log: true }),
  ],
  fields: [value({ key: "seed", min: 1, max: 999999, start: 1 })],
  actions: [["Redraw", ({ seed }) => ({ seed: seed + 1 })]],
  plots: [{ height: 270, margin: { top: 26 }, draw,
    description: view => `Histogram of ${whole(MANY)} scores over √d, standard deviation ` +
      `${fixed(view.spread, 2)}, mean ${fixed(view.mean, 2)}, beside the standard normal density` }],
  compute, say, table,
});
