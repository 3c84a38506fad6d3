/* Laws of one component of q or k, mean 0 and variance 1, and sums of products of two of them.

   Where a sum of `count` products has an exact shortcut it is taken: a thousand products then cost
   as much as a few. */
import { sum } from "./d3.js";

const WIDTH = Math.sqrt(3);
const OFTEN = 0.05; // one component in twenty is wider,
const WIDER = 4; // so many times
const NARROW = 1 / Math.sqrt(1 - OFTEN + OFTEN * WIDER ** 2);

const uniform = random => WIDTH * (2 * random.uniform() - 1);

// Given q, q·k is N(0, |q|²), and |q|² is chi-squared.
const normalProducts = (random, count) => Math.sqrt(random.chiSquared(count)) * random.normal();

export const LAWS = {
  normal: {
    label: "normal",
    draw: random => random.normal(),
    products: normalProducts,
  },
  uniform: {
    label: "uniform ±√3",
    draw: uniform,
    products: (random, count) => sum(Array.from({ length: count }, () => uniform(random) * uniform(random))),
  },
  signs: {
    label: "coin flips ±1",
    draw: random => random.uniform() < 0.5 ? -1 : 1,
    products: (random, count) => random.signs(count),
  },
  outliers: {
    label: "with outliers",
    draw: random => random.normal() * NARROW * (random.uniform() < OFTEN ? WIDER : 1),
    // How many products have an outlier, and how many of these have two; each kind is normal.
    products: (random, count) => {
      const some = random.binomial(count, 1 - (1 - OFTEN) ** 2);
      const two = random.binomial(some, OFTEN / (2 - OFTEN));
      return NARROW ** 2 * (normalProducts(random, count - some) +
        WIDER * normalProducts(random, some - two) + WIDER ** 2 * normalProducts(random, two));
    },
  },
};
