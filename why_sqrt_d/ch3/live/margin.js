/* Three keys and a crowd at zero: what the weights follow is margins, not sizes. */
import { bars, below, figure, fixed, level, linear, max, percent, rounded, shape, short, slider, sum,
  upright, whole, words } from "../../live/parts.js";

const OTHERS = [3, 1]; // the scores of keys 2 and 3; those of the crowd are zero

/** Weights of some keys and a crowd of `crowd` more with one logit, without writing the crowd out. */
export function weigh(logits, crowd, common) {
  const top = Math.max(...logits, crowd ? common : -Infinity);
  const powers = logits.map(z => Math.exp(z - top)), one = crowd ? Math.exp(common - top) : 0;
  const total = sum(powers) + crowd * one;
  const weights = powers.map(power => power / total), each = one / total;
  const ranked = [...logits, ...Array(Math.min(crowd, 2)).fill(common)].sort((a, b) => b - a);
  return {
    weights, each, share: crowd * each,
    top: Math.max(max(weights), each),
    margin: ranked[0] - ranked[1],
  };
}

function compute(state) {
  const { best, beta, crowd, shift } = state, scores = [best, ...OTHERS];
  const logits = scores.map(score => beta * (score + shift)), among = beta * shift;
  const before = beta === 1 ? null : weigh(scores, crowd, 0); // without the scale, as an outline
  return { ...state, scores, logits, among, before, ...weigh(logits, crowd, among) };
}

/** The ends of the axis of logits: it holds while the scale shrinks them or a key moves a little. */
function ends({ logits, among, scores, shift }) {
  const all = [...logits, among, ...(shift ? [] : [...scores, 0])];
  const low = Math.min(...all), high = Math.max(...all), span = high - low;
  if (span > 60) return [low - 0.08 * span, high + 0.08 * span];
  return [5 * Math.floor(low / 5) - 0.5, 5 * Math.ceil(high / 5) + 0.5];
}

const first = view => view.logits.indexOf(max(view.logits));

function drawLogits(area, view) {
  const x = linear(ends(view), [area.left + 8, area.right - 8]);
  const y = area.floor - 26, top = first(view), marks = [];
  if (view.before && !view.shift)
    view.scores.forEach(score => marks.push(shape("circle", { class: "live-outline", cx: x(score), cy: y, r: 7 })));
  if (view.crowd) {
    const at = x(view.among), right = at > (area.left + area.right) / 2;
    marks.push(shape("circle", { class: "live-crowd", cx: at, cy: y, r: 12 }),
      words(`${whole(view.crowd)} more`, right ? at + 12 : at - 12, y + 29 - 55, right ? "end" : "start",
        "live-strong"));
  }
  const seen = [];
  view.logits.forEach((logit, i) => {
    const at = x(logit), room = view.logits.every((other, j) => j === i || Math.abs(x(other) - at) > 46);
    const stacked = seen.filter(other => Math.abs(other - at) < 13).length;
    seen.push(at);
    marks.push(shape("circle", { class: i === top ? "live-top" : "live-bar", cx: at,
      cy: y - 15 * stacked, r: 7 }),
      words(room ? `key ${i + 1}` : String(i + 1), at, y - 15 * stacked - 11, "middle", "live-strong"));
  });
  if (view.margin > 0 && (view.logits[top] >= view.among || !view.crowd)) {
    const to = x(view.logits[top]), from = x(view.logits[top] - view.margin), tall = area.top + 6;
    if (to - from > 4)
      marks.push(level(tall, from, to, "live-span"), upright(from, tall - 4, tall + 4, "live-span"),
        upright(to, tall - 4, tall + 4, "live-span"));
    marks.push(words(`margin ${rounded(view.margin)}`, (from + to) / 2, tall - 8, "middle",
      "live-hot"));
  }
  return [below(area, x, { label: view.beta === 1 ? "logit" : "logit: β times the score" }), ...marks];
}

/** A share as a percentage, with a decimal near one half too: there is a question about it. */
const share = weight => (weight !== 0.5 && Math.abs(weight - 0.5) < 0.01
  ? `${(100 * weight).toFixed(1)}\u202f%` : percent(weight));
const label = weight => (weight < 0.0005 ? "0" : share(weight));

function drawWeights(area, view) {
  const slots = 5, step = (area.right - area.left) / slots, pale = view.before ? " live-pale" : "";
  const y = linear([0, 1], [area.floor, area.top + 14]), shares = ({ weights, share }) => [...weights, ...(view.crowd ? [share] : [])];
  const parts = shares(view).map((weight, i) => ({ weight, label: label(weight),
    ...(i === view.weights.length ? { look: "live-crowd", name: `${whole(view.crowd)} more` }
      : { look: i === first(view) ? "live-top" : "live-bar", name: String(i + 1) }) }));
  for (const part of parts) part.look += pale;
  const outline = view.before ? shares(view.before).map((weight, i) =>
    `M${area.left + (i + 0.14) * step} ${area.floor}V${y(weight)}h${0.72 * step}V${area.floor}`) : [];
  return [bars(area, y, parts, slots), shape("path", { class: "live-outline", d: outline.join("") }),
    words("key", area.left + (view.weights.length / 2) * step, area.floor + 39, "middle", "live-label")];
}

function say(view) {
  const crowd = view.crowd ? [`, the ${whole(view.crowd)} others share `, [share(view.share)]] : [];
  return ["The margin is ", [rounded(view.margin)], ", the top key takes ", [share(view.top)],
    ...crowd, "."];
}

function table(view) {
  const rows = view.scores.map((score, i) => [String(i + 1), short(score), short(view.logits[i]),
    fixed(view.weights[i], 4)]);
  if (view.crowd)
    rows.push([`each of ${whole(view.crowd)} more`, "0", short(view.among), view.each.toPrecision(3)]);
  return { head: ["key", "score", "logit", "weight"], rows };
}

export default figure({
  label: "Scores, margins and weights",
  question: "Three keys have the scores 5, 3 and 1, and 500 more the score 0. From how many such keys on does " +
    "key 1 have less than half? And what if you add 1000 to every score?",
  controls: [
    slider({ key: "crowd", label: "more keys", min: 0, max: 10000, reach: [0, 1000], start: 500 }),
    slider({ key: "best", label: "score of key 1", min: -20, max: 20, step: 0.1, start: 5, integer: false }),
    slider({ key: "shift", label: "add to all", min: -1000, max: 1000, step: 10, start: 0,
      integer: false }),
    slider({ key: "beta", label: "scale β", min: 1 / 64, max: 8, step: 0.25, start: 1, log: true,
      integer: false }),
  ],
  plots: [
    { height: 190, margin: { top: 26 }, draw: drawLogits,
      description: view => `Logits ${view.logits.map(z => rounded(z, 4)).join(", ")} on a line` +
        (view.crowd ? `, and ${whole(view.crowd)} more at ${short(view.among)}` : "") },
    { height: 190, draw: drawWeights,
      description: view => `Bars: weights ${view.weights.map(w => fixed(w, 3)).join(", ")}` +
        (view.crowd ? `, the crowd together ${fixed(view.share, 3)}` : "") +
        (view.before ? "; outlines: the same without the scale" : "") },
  ],
  compute, say, table,
});
