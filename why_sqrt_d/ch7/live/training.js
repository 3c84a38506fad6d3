/* Stored training runs of the reverse task, with 1/√d and with the β that the paper searched. */
import { below, beside, choice, figure, line, linear, median, percent, shape, short, value, whole, words }
  from "../../live/parts.js";

const EPOCHS = 10, LAST = 12.6; // on the axis: the epochs, then what new strings say
const PLACES = [11.3, 12];
const LOOKS = ["live-calm", "live-curve"], DOTS = ["live-bar", "live-top"];
const NAMES = ["live-good", "live-hot"];

/** A stored run as accuracies: of training, a mean over each epoch, and on new strings. */
function runOf(numbers) {
  return { training: numbers.slice(0, -1).map(x => x / 1000), test: numbers.at(-1) / 10000 };
}

/** Shares, with two decimals where less than one in a hundred is wrong. */
const share = x => (x >= 0.99 && x < 0.9999 ? `${(100 * x).toFixed(2)}\u202f%` : x >= 0.9999 ? "100\u202f%" : percent(x));

/** The figure over `data`: `rates`, and `sizes` with their words, length d, β and runs[rate][scale]. */
export function specOf(data) {
  const sizes = new Map(data.sizes.map(size => [size.key, size]));

  function compute(state) {
    const size = sizes.get(state.size), runs = size.runs[data.rates.indexOf(state.rate)]
      .map(all => all.map(runOf));
    const which = state.seed % runs[0].length;
    return { ...state, ...size, runs, which, names: ["β = 1/√d", `β = ${size.beta}`],
      medians: runs.map(all => median(all.map(run => run.test))) };
  }

  function draw(area, view) {
    const x = linear([0.5, LAST], [area.left, area.right]), y = linear([-0.05, 1], [area.floor, area.top]);
    const marks = [beside(area, y, { ticks: [0, 0.25, 0.5, 0.75, 1],
      format: tick => `${100 * tick}\u202f%`, label: "accuracy" })];
    view.runs.forEach((all, i) => all.forEach(({ training, test }, run) => {
      const name = run === view.which ? LOOKS[i] + (i ? "" : " live-dashed") : `${LOOKS[i]} live-thin`;
      marks.push(line(training.map((right, epoch) => [epoch + 1, right]), x, y, name),
        shape("circle", { class: DOTS[i], cx: x(PLACES[i]), cy: y(test), r: run === view.which ? 6 : 3.5,
          "fill-opacity": run === view.which ? 1 : 0.45 }));
    }));
    marks.push(
      ...view.names.map((name, i) => words(`${name}${i ? "" : ", dashed"}: median ${share(view.medians[i])}`,
        area.right, area.floor + 38 + 18 * i, "end", NAMES[i])),
      below(area, x, { ticks: [1, 4, 7, 10], format: epoch => (epoch === 1 ? "epoch 1" : String(epoch)) }),
      words("new strings", area.right, area.top - 12, "end"));
    return marks;
  }

  const both = view => view.medians.map(share);

  function say(view) {
    const [fixed, searched] = both(view), count = view.runs[0].length;
    const seeds = view.runs.map(all => share(all[view.which].test));
    return [`At learning rate ${view.rate}, β = 1/√${whole(view.length)} = ${short(1 / Math.sqrt(view.length))} ` +
      "puts ", { calm: fixed }, " of the tokens of new strings in their place, ", `β = ${view.beta} puts `, [searched],
    ` there (medians of ${count} runs each). The thick lines have the same seed: ${seeds[0]} and ${seeds[1]}.`];
  }

  function table(view) {
    return {
      note: "Accuracy on 10\u202f000 strings that the training has not seen, a run a row.",
      head: ["run", "β = 1/√d", `β = ${view.beta}`],
      rows: view.runs[0].map((run, i) => [String(i + 1), share(run.test), share(view.runs[1][i].test)]),
    };
  }

  return {
    label: "Training with two scales",
    bet: {
      question: "1/√d loses: 2\u202f% against 63\u202f% in the median. Change one thing, the learning rate. How many " +
        "per cent of new strings' tokens will 1/√d put right at twice the rate, 0.001?",
      label: "your bet, %",
      range: { min: 0, max: 100, step: 1, start: 50 },
      reveal: () => [{ size: data.sizes[0].key, rate: data.rates[1] }],
      wait: mark => `You bet ${short(mark)}\u202f%. Here are the runs at 0.001.`,
      reply: (mark, view) => `You bet ${short(mark)}\u202f%. With 100 tokens the median at 0.001 is ` +
        `${share(view.medians[0])}, and with β = 5 it is ${share(view.medians[1])}. Now take 0.003.`,
    },
    controls: [
      choice({ key: "rate", label: "learning rate", options: data.rates.map(rate => [rate, rate]) }),
      choice({ key: "size", label: "task", options: data.sizes.map(({ key, words }) => [key, words]) }),
    ],
    fields: [value({ key: "seed", min: 0, max: 99, start: 6 })],
    actions: [["Another run", ({ seed }) => ({ seed: (seed + 1) % 10 })]],
    plots: [{ height: 330, margin: { left: 46, top: 28, right: 10, bottom: 62 }, draw,
      description: view => `Curves of the accuracy over ${EPOCHS} epochs, ${view.runs[0].length} runs with each scale. ` +
        `On new strings: β = 1/√d ${both(view)[0]}, β = ${view.beta} ${both(view)[1]}, medians` }],
    compute, say, table,
  };
}

export default figure(specOf);
