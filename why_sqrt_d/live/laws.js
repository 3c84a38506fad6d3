/* Laws of one component of q or k, mean 0 and variance 1, and sums of products of two of them.

   Where a sum of `count` products has an exact shortcut it is taken: a thousand products then cost
   as much as a few. */

const WIDTH = Math.sqrt(3);
const OFTEN = 0.05; // one component in twenty is wider,
const WIDER = 4; // so many times
const NARROW = 1 / Math.sqrt(1 - OFTEN + OFTEN * WIDER ** 2);

function normalProducts(random, count) {
  return count ? Math.sqrt(random.chiSquared(count)) * random.normal() : 0;
}

export const LAWS = {
  normal: {
    label: "normal",
    kurtosis: 3,
    draw: random => random.normal(),
    // Given q, q·k is N(0, |q|²), and |q|² is chi-squared.
    products: normalProducts,
    method: "A sum of normal products is drawn exactly: a normal number times the length of q, " +
      "whose square is chi-squared.",
  },
  uniform: {
    label: "uniform ±√3",
    kurtosis: 1.8,
    draw: random => WIDTH * (2 * random.uniform() - 1),
    products: (random, count) => WIDTH ** 2 * random.uniformProducts(count),
    method: "All products are drawn and summed.",
  },
  signs: {
    label: "coin flips ±1",
    kurtosis: 1,
    draw: random => random.sign(),
    products: (random, count) => random.signs(count),
    method: "A product of two coin flips ±1 is one more coin flip; all are drawn and summed.",
  },
  outliers: {
    label: "with outliers",
    kurtosis: 3 * NARROW ** 4 * (1 - OFTEN + OFTEN * WIDER ** 4),
    draw: random => random.normal() * NARROW * (random.uniform() < OFTEN ? WIDER : 1),
    // How many products have one outlier or two, by the gaps between them; each kind is normal.
    products: (random, count) => {
      const either = 1 - (1 - OFTEN) ** 2, both = OFTEN / (2 - OFTEN);
      const gap = 1 / Math.log(1 - either);
      let one = 0, two = 0;
      for (let at = Math.floor(Math.log(random.uniform()) * gap); at < count;
        at += 1 + Math.floor(Math.log(random.uniform()) * gap))
        if (random.uniform() < both) two += 1;
        else one += 1;
      return NARROW ** 2 * (normalProducts(random, count - one - two) +
        WIDER * normalProducts(random, one) + WIDER ** 2 * normalProducts(random, two));
    },
    method: "One component in twenty is four times as wide. How many products have such a " +
      "component is drawn first, then their sum.",
  },
};
