/* A trained model under its scale: what it tells, what it loses, where one head looks.

   The model comes when the reader asks for it. Until then there is what was computed before: the loss
   on our stories at some multipliers of the scale, and what the model tells at three of them. */
import { below, beside, choice, figure, fixed, line, linear, logarithmic, make, Memory, percent, phrase,
  point, short, slider, softmax, sum, upright, value, words } from "../../live/parts.js";
import { Stories } from "../../live/stories.js";

const NONE = Math.sqrt(8); // takes the division by √8 back
const LONGER = 48; // tokens
const MOST = 8, LEFT = 1 / 8; // ends of the axis; 0 stands at the left one
const STEPS = [0, 0.25, 0.5, 0.707, 1, 1.41, 2, 2.83];
const HEADS = Array.from({ length: 40 }, (_, i) => [1 + Math.floor(i / 8), 1 + i % 8])
  .map(([layer, head]) => [`${layer}-${head}`, `layer ${layer}, head ${head}`]);
const BRING = "Fetch the model (0.5 MB) and show me";

let model = null, story; // the trained model, and the tokens of the story whose loss is taken
const memory = new Memory(200);

/** The model's text in base64: a notebook has it, a page fetches a script that says it. */
function packed(data) {
  return data.model ?? new Promise((done, fail) => {
    const root = document.documentElement.dataset.content_root ?? ""; // Sphinx says where the site begins
    const script = make("script", { src: root + data.address });
    script.addEventListener("load", () => done(window.stories260K));
    script.addEventListener("error", () => fail(new Error("The model could not be fetched. What it " +
      "told at 0, at 1 and at 2.83 times its scale was stored: move the multiplier there.")));
    document.head.append(script);
  });
}

async function come(place) {
  const data = place.get("data");
  model ??= new Stories(await packed(data));
  story = model.encode(data.story);
}

/** The words of a beginning, each with its weight: pieces of a word are put together. */
function weighed(tokens, weights) {
  const found = [];
  tokens.forEach((token, i) => {
    const text = i ? model.decode([token]) : "(start)";
    if (i > 1 && /^[\w']/.test(text) && /[\w']$/.test(found.at(-1).text)) {
      found.at(-1).text += text;
      found.at(-1).weight += weights[i];
    } else found.push({ text, weight: weights[i] });
  });
  return found;
}

function compute(state, data) {
  const { beginning, head, shown } = state, near = ([at]) => Math.abs(at - state.m) < 0.005;
  const row = data.rows.find(near), m = row ? row[0] : state.m; // 2.83 is √8
  const curve = data.rows.filter(([at]) => at < shown);
  const view = { ...state, m, curve, data, own: data.rows.find(([at]) => at === 1)[1][data.chosen] };
  if (!model)
    return { ...view, loss: row?.[1][data.chosen], told: beginning === data.beginning && data.told.find(near)?.[1] };
  const tokens = memory.recall(`words ${beginning}`, () => model.encode(beginning));
  const { told, seen } = memory.recall(`${m} ${beginning}`, () => model.tell(tokens, LONGER, m));
  const logits = seen[HEADS.findIndex(([key]) => key === head)];
  const mean = sum(logits) / logits.length;
  const read = weighed(tokens, softmax(logits));
  return { ...view, read, told: model.decode(told), loss: memory.recall(m, () => model.loss(story, m)),
    spread: Math.sqrt(sum(logits.map(z => (z - mean) ** 2)) / logits.length),
    top: read.reduce((best, word) => (word.weight > best.weight ? word : best)) };
}

function passage(view) {
  const told = [make("b", {}, [(view.told || "").trimEnd()]), " …"];
  if (!view.read) return [view.beginning, ...told];
  return [...view.read.flatMap(({ text, weight }) => [text.startsWith(" ") ? " " : "",
    make("span", { class: "live-weighed", style: `--weight: ${fixed(weight, 3)}` }, [text.trim()])]), ...told];
}

const tick = m => (m === NONE ? "√8" : m === 0.25 ? "¼" : short(m));

function drawLoss(area, view) {
  const { data } = view;
  const scale = logarithmic([LEFT, MOST], [area.left, area.right]), x = m => scale(Math.max(m, LEFT));
  const y = linear([1, 4.5], [area.floor, area.top + 6]);
  const curve = i => view.curve.map(([m, losses]) => [m, losses[i]]);
  const faint = data.rows[0][1].map((_, i) => line(curve(i), x, y, "live-paths"));
  const marks = [beside(area, y, { ticks: [1, 2, 3, 4], label: "loss, nats a token" }), ...faint,
    line(curve(data.chosen), x, y), upright(x(1), area.top + 16, area.floor, "live-reference"),
    upright(x(NONE), area.top + 16, area.floor, "live-reference"),
    words("as trained", x(1) - 5, area.top + 28, "end", "live-strong"),
    words("no division", x(NONE) + 5, area.top + 28, "start", "live-strong")];
  if (view.loss)
    marks.push(...point(x(view.m), y(view.loss), fixed(view.loss, 2), view.m <= 5, -10));
  return [...marks, [...below(area, x, { ticks: [0, 0.25, 1, NONE, MOST], format: tick,
    label: "multiplier of the trained scale" })]];
}

const named = m => (m === 1 ? "1, as trained" : m === NONE ? "2.83 = √8, without the division"
  : m === 0 ? "0, where all tokens weigh alike" : short(m));

function say(view) {
  const loss = view.loss ? [`At ${named(view.m)}, the loss on our story is `, [fixed(view.loss, 2)],
    view.m === 1 ? " nats a token. " : ` nats a token (as trained: ${fixed(view.own, 2)}). `] : [];
  if (!view.read)
    return [...loss, loss.length ? "All else needs the model itself: " : "This needs the model itself: ",
      `press “${BRING}”.`];
  const [layer, head] = view.head.split("-");
  const top = ["; its largest weight (lines below words), ", { calm: percent(view.top.weight) },
    `, goes to “${view.top.text.trim()}”`];
  return [...loss, `Head ${head} of layer ${layer} spreads its logits by `, [fixed(view.spread, 1)],
    ...(view.m ? top : []), "."];
}

function table({ data, read }) {
  return {
    note: (read ? `Weights: ${read.map(({ text, weight }) => `${text.trim()} ${percent(weight)}`)
      .join(", ")}. ` : "") + "Losses are nats a token, on stories that the model has not seen.",
    head: ["multiplier", "our story", "mean of 24"],
    rows: data.rows.map(([m, losses]) => [short(m), fixed(losses[data.chosen], 3),
      fixed(sum(losses) / losses.length, 3)]),
  };
}

/** The multiplier with the least stored loss on our story, and that loss. */
const least = ({ rows, chosen }) => rows.map(([m, losses]) => [m, losses[chosen]])
  .reduce((best, one) => (one[1] < best[1] ? one : best));

export default figure(data => ({
  label: "A trained model under its scale",
  bet: {
    question: "This small language model was trained with its scores divided by √8. Multiply that scale: " +
      "where does it predict a new story best? And at √8 = 2.83, where nothing is divided, does it still " +
      "tell one?",
    label: "your bet, ×",
    range: { min: 0, max: MOST, reach: [LEFT, MOST], step: 0.25, start: 1, log: true },
    bring: { words: BRING, wait: "The model comes …", come },
    reveal: () => STEPS.map((m, i) => ({ m, shown: STEPS[i + 1] ?? MOST + 1 })),
    wait: bet => `You bet ${short(bet)}. Watch the multiplier grow …`,
    reply: (bet, view) => `You bet ${short(bet)}: its loss there is ${fixed(model.loss(story, bet), 2)}. ` +
      `The least is ${fixed(least(data)[1], 2)}, at ${short(least(data)[0])}; as trained it is ` +
      `${fixed(view.own, 2)}. Without the division it is ${fixed(view.loss, 2)}, and the story goes on. ` +
      "Now move the multiplier to 0.",
  },
  controls: [
    phrase({ key: "beginning", label: "beginning", most: 140, start: data.beginning }),
    slider({ key: "m", label: "multiplier", min: 0, max: MOST, reach: [LEFT, MOST], step: 0.25, start: 1,
      log: true, integer: false }),
    choice({ key: "head", label: "look at", options: HEADS, start: "3-7" }),
  ],
  fields: [value({ key: "shown", min: 0, max: MOST + 1, start: 0, integer: false })], // the curve, up to here
  actions: [["Another beginning", ({ beginning }) => ({ beginning:
    data.others[(data.others.indexOf(beginning) + 1) % data.others.length] })]],
  passage: { title: "How the story goes on", text: passage },
  plots: [{ height: 230, margin: { left: 26, top: 28, right: 22 }, draw: drawLoss,
    description: view => "Curves of the loss on 24 stories against the multiplier" +
      (view.loss ? `; on ours it is ${fixed(view.loss, 2)} at ${named(view.m)}` : "") }],
  compute: state => compute(state, data), say, table,
}));
