/* One row of random scores, and more and more keys: when does one key take all, when do all share? */
import { below, choice, few, figure, linear, Memory, percent, Random, shape, slider, sum, value, whole,
  words } from "../../live/parts.js";

const MOST = 16384, TOP = 20;
const SIZES = Array.from({ length: 14 }, (_, i) => 2 ** (i + 1));

const rows = new Memory(1);

/** The standard normal numbers of a row: the first n are those of n keys. */
export const rowOf = seed => rows.recall(seed, () => new Random("keys", seed).normals(MOST));

/** The 20 largest weights of the first n keys, what the others have together, and how many keys it is
    as if took part. */
export function ranked(row, spread, n) {
  const sorted = row.slice(0, n).sort().reverse(), top = sorted[0];
  const powers = sorted.map(z => Math.exp(spread * (z - top))), total = sum(powers);
  const weights = Array.from(powers.subarray(0, TOP), power => power / total);
  return { weights, rest: Math.max(0, 1 - sum(weights)),
    effective: total ** 2 / sum(powers.map(power => power ** 2)) };
}

function compute(state) {
  const { n, d, seed } = state, row = rowOf(seed);
  const seen = spread => ({ spread, ...ranked(row, spread, n) });
  return { ...state, undivided: seen(Math.sqrt(Number(d))), divided: seen(1) };
}

/** All the weight as a strip: the heaviest keys one after the other, then what the others share. */
function strip(x, top, height, name, { weights, rest }, n) {
  let from = 0;
  const part = (share, look, least) => {
    const left = x(from), width = Math.max(x(from + share) - left - 1, least);
    from += share;
    return shape("rect", { class: look, x: left, y: top, width, height });
  };
  const heaviest = weights.map((weight, i) => part(weight, i ? "live-bar" : "live-top", i ? 0.2 : 2.5));
  const marks = [words(`${name}: the top key has ${percent(weights[0])}`, x(0), top - 8, "start", "live-hot")];
  if (n > TOP)
    marks.push(part(rest, "live-crowd", 0), words(`all but ${TOP} keys: ${percent(rest)}`, x(1), top + height + 16,
      "end", "live-strong"));
  return [...marks, ...heaviest.reverse()]; // the heaviest in front, however narrow it is
}

function draw(area, view) {
  const x = linear([0, 1], [area.left, area.right]), each = (area.floor - area.top) / 2;
  return [...["undivided", "divided"].flatMap((name, i) =>
    strip(x, area.top + i * each, each - 50, name, view[name], view.n)),
  below(area, x, { ticks: [0, 0.25, 0.5, 0.75, 1], format: share => `${100 * share}\u202f%`,
    label: "of the weight, heaviest key first" })];
}

function say(view) {
  const { undivided, divided, n } = view;
  return ["Undivided, the top key takes ", [percent(undivided.weights[0])], ", and it is as if ",
    [few(undivided.effective)], ` of ${whole(n)} keys took part. Divided, it takes `,
    [percent(divided.weights[0])], ", as if ", [few(divided.effective)], " took part."];
}

function table(view) {
  const row = rowOf(view.seed), seen = (spread, n) => few(ranked(row, spread, n).effective);
  return {
    note: "Effective numbers of keys in this row. Its query has the length √d, so its scores have σ = √d, " +
      "or 1 after dividing.",
    head: ["keys n", "undivided", "divided"],
    rows: SIZES.map(n => [whole(n), seen(view.undivided.spread, n), seen(1, n)]),
  };
}

export default figure({
  label: "More and more keys",
  bet: {
    question: "Undivided, the top one of these 16 keys has nearly all the weight. How much will the top key " +
      "have when the 16 have become 16\u202f384, still undivided?",
    label: "your bet, %",
    reveal: ({ n }) => [...SIZES.filter(size => size > n && size < MOST), MOST].map(size => ({ n: size, d: "64" })),
    wait: bet => `You bet ${whole(bet)}\u202f%. More keys come …`,
    reply: (bet, { undivided, divided }) => `You bet ${whole(bet)}\u202f%. Undivided, the top key of this row has ` +
      `${percent(undivided.weights[0])}; divided, it has ${percent(divided.weights[0])}. Redraw: other rows differ.`,
  },
  controls: [
    slider({ key: "n", label: "keys n", min: 2, max: MOST, start: 16, log: true }),
    choice({ key: "d", label: "dimension d", start: "64",
      options: ["4", "16", "64", "256", "1024"].map(d => [d, whole(Number(d))]) }),
  ],
  fields: [value({ key: "seed", min: 1, max: 999999, start: 270 })],
  actions: [["Redraw", ({ seed }) => ({ seed: seed + 1 })]],
  plots: [
    { height: 270, margin: { left: 14, top: 26, right: 18, bottom: 48 }, draw,
      description: view => ["undivided", "divided"].map(name => `${name}, the largest weight is ` +
        percent(view[name].weights[0]) + (view.n > TOP ? `, and what is beyond the ${TOP} largest, ` +
        percent(view[name].rest) : "")).join("; ") },
  ],
  compute, say, table,
});
