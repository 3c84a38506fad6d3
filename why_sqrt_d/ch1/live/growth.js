/* Paths of a score q·k as its terms are added one by one: how far they spread, where they drift. */
import { below, beside, choice, figure, fixed, LAWS, line, linear, Memory, moments, Random, shape, slider,
  toggle, upright, value, whole, words } from "../../live/parts.js";

const MOST = 1024, PATHS = 400, SHOWN = 40;
const POINTS = Array.from({ length: 130 }, (_, i) => Math.max(1, Math.round(MOST * (i / 129))));

const drawn = new Memory(1);

/** Running sums over the first i + 1 components, path after path: of q·k and of q + k. */
function sums(law, seed) {
  return drawn.recall(`${law} ${seed}`, () => {
    const random = new Random("growth", law, seed), { draw } = LAWS[law];
    const products = new Float32Array(PATHS * MOST), singles = new Float32Array(PATHS * MOST);
    for (let path = 0; path < PATHS; path += 1)
      for (let i = 0, at = path * MOST, product = 0, single = 0; i < MOST; i += 1, at += 1) {
        const q = draw(random), k = draw(random);
        products[at] = product += q * k;
        singles[at] = single += q + k;
      }
    return { products, singles };
  });
}

/** Mean and variance of q·k when components have this mean and variance 1. */
export function exact(d, mean) {
  return { mean: d * mean * mean, variance: d * (1 + 2 * mean * mean) };
}

/** The score of path number `path` after d terms: Σ (q + μ)(k + μ). */
function scoreOf({ products, singles }, path, d, mean) {
  const at = path * MOST + d - 1;
  return products[at] + mean * singles[at] + d * mean * mean;
}

export function compute(state) {
  const { d, mean, law, scaled, seed } = state;
  const found = sums(law, seed), scale = at => (scaled ? 1 / Math.sqrt(at) : 1);
  const scores = Array.from({ length: PATHS }, (_, path) =>
    scale(d) * scoreOf(found, path, d, mean));
  const paths = Array.from({ length: SHOWN }, (_, path) =>
    POINTS.map(at => [at, scale(at) * scoreOf(found, path, at, mean)]));
  const band = POINTS.map(at => {
    const one = exact(at, mean), spread = Math.sqrt(one.variance);
    return [at, scale(at) * one.mean, scale(at) * spread];
  });
  const one = exact(d, mean), measured = moments(scores);
  return { ...state, scores, paths, band, exactMean: scale(d) * one.mean,
    exactSpread: scale(d) * Math.sqrt(one.variance),
    mean: measured.mean, mu: mean, spread: Math.sqrt(measured.variance) };
}

function draw(area, view) {
  const last = view.band.at(-1);
  const widest = 3.3 * Math.max(last[2], view.band[0][2]);
  const y = linear([Math.min(-widest, last[1] - widest), last[1] + widest], [area.floor, area.top]);
  const x = linear([0, MOST], [area.left, area.right]);
  const outline = [...view.band.map(([at, mean, spread]) => [at, mean + 2 * spread]),
    ...view.band.toReversed().map(([at, mean, spread]) => [at, mean - 2 * spread])];
  const reach = x(view.d);
  const clip = shape("clipPath", { id: "live-growth-now" });
  clip.append(shape("rect", { x: 0, y: 0, width: reach, height: area.floor + 4 }));
  const all = view.paths.flatMap(path => [...path, [0, NaN]]); // with gaps between them
  return [beside(area, y, { label: view.scaled ? "q·k / √d" : "score q·k" }), clip,
    line(outline, x, y, "live-band"),
    line(all, x, y, "live-paths live-faint"),
    line(all, x, y, "live-paths", { "clip-path": "url(#live-growth-now)" }),
    line(view.band, x, y, "live-curve"),
    upright(reach, area.top, area.floor),
    words(`d = ${whole(view.d)}`, Math.max(reach, area.left + 72), area.top - 9,
      reach > area.right - 30 ? "end" : "middle", "live-strong"),
    words("two standard deviations", area.right - 4, y(last[1] + 2 * last[2]) - 7, "end", "live-hot"),
    below(area, x, { ticks: [0, 256, 512, 768, 1024], label: "terms added, d" })];
}

function say(view) {
  const digits = view.scaled ? 2 : 1;
  return [`At d = ${whole(view.d)} the ${PATHS} scores spread by `, [fixed(view.spread, digits)],
    ` (exactly ${fixed(view.exactSpread, digits)}) around `, [fixed(view.mean, digits)],
    ` (exactly ${fixed(view.exactMean, digits)}).`];
}

function table(view) {
  const rows = [1, 4, 16, 64, 256, 1024].map(d => compute({ ...view, d, mean: view.mu }));
  return {
    head: ["d", "mean, measured", "exact", "spread, measured", "exact"],
    rows: rows.map(one => [whole(one.d),
      ...[one.mean, one.exactMean, one.spread, one.exactSpread].map(x => fixed(x, 2))]),
  };
}

export default figure({
  label: "Scores that grow term by term",
  question: "Give every component a mean of 1 in place of 0: will the paths drift, will they " +
    "spread more, or both? And what of it is left after dividing by √d?",
  controls: [
    slider({ key: "d", label: "terms d", min: 1, max: MOST, start: 256 }),
    slider({ key: "mean", label: "mean μ", min: -2, max: 2, step: 0.1, start: 0,
      integer: false }),
    choice({ key: "law", label: "components",
      options: Object.entries(LAWS).map(([key, law]) => [key, law.label]) }),
    toggle({ key: "scaled", label: "divide by √d" }),
  ],
  fields: [value({ key: "seed", min: 1, max: 999999, start: 1 })],
  actions: [["Redraw", ({ seed }) => ({ seed: seed + 1 })]],
  plots: [{ height: 320, margin: { left: 46, top: 26, right: 14 }, draw,
    description: view => `${SHOWN} paths of a score against the number of its terms, a band of two standard ` +
      `deviations around the exact mean; at d = ${view.d} the band goes from ` +
      `${fixed(view.exactMean - 2 * view.exactSpread, 1)} to ${fixed(view.exactMean + 2 * view.exactSpread, 1)}` }],
  compute, say, table,
});
