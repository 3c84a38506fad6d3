/* Softmax and what is read off its weights, as attn_helpers has them: a test compares to 1e-12. */
import { max, sum } from "./d3.js";

/** Weights of a row of logits; the maximum is subtracted, so that nothing overflows. */
export function softmax(logits) {
  const top = max(logits), powers = Array.from(logits, z => Math.exp(z - top)), total = sum(powers);
  return powers.map(power => power / total);
}

/** Mean, variance (divisor n - 1) and kurtosis of a sample. */
export function moments(sample) {
  const n = sample.length, mean = sum(sample) / n;
  const second = sum(sample, x => (x - mean) ** 2), fourth = sum(sample, x => (x - mean) ** 4);
  return { mean, variance: second / (n - 1), kurtosis: fourth * n / second ** 2 };
}
