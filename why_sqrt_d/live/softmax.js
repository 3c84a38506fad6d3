/* Softmax and what is read off its weights, as attn_helpers has them: a test compares to 1e-12. */

export function sum(numbers) {
  let total = 0;
  for (const x of numbers) total += x;
  return total;
}

export function largest(numbers) {
  let found = -Infinity;
  for (const x of numbers) if (x > found) found = x;
  return found;
}

/** Weights of a row of logits; the maximum is subtracted, so that nothing overflows. */
export function softmax(logits) {
  const top = largest(logits);
  const powers = Array.from(logits, z => Math.exp(z - top)), total = sum(powers);
  return powers.map(power => power / total);
}

/** Mean, variance (divisor n - 1) and kurtosis of a sample. */
export function moments(sample) {
  const n = sample.length, mean = sum(sample) / n;
  let second = 0, fourth = 0;
  for (const x of sample) {
    const square = (x - mean) ** 2;
    second += square;
    fourth += square * square;
  }
  return { mean, variance: second / (n - 1), kurtosis: fourth * n / second ** 2 };
}

export function median(numbers) {
  const sorted = Float64Array.from(numbers).sort(), middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
