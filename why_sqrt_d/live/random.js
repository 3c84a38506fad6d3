/* A generator with a seed, so that a state can be named by an address and tested. */

/** Small fast counter (sfc32, Chris Doty-Humphrey, PractRand): 128 bits of state. */
export class Random {
  /** Any numbers and words; the same ones give the same draws. */
  constructor(...seeds) {
    let hash = 0x9e3779b9;
    [this.a, this.b, this.c] = [0, 1, 2].map(word => {
      for (const letter of `${word}|${seeds.join("|")}`) {
        hash = Math.imul(hash ^ letter.charCodeAt(0), 0x85ebca6b);
        hash ^= hash >>> 13;
      }
      return hash | 0;
    });
    this.count = 1;
    this.spare = NaN;
    for (let i = 0; i < 12; i += 1) this.bits();
  }

  /** 32 bits, as a whole number from 0. */
  bits() {
    const sum = (this.a + this.b + this.count) | 0;
    this.count = (this.count + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** Uniform between 0 and 1, both excluded; a multiple of 2^-33. */
  uniform() {
    return (this.bits() + 0.5) * 2 ** -32;
  }

  /** N(0, 1), by Marsaglia's polar method. */
  normal() {
    if (!Number.isNaN(this.spare)) {
      const kept = this.spare;
      this.spare = NaN;
      return kept;
    }
    for (;;) {
      const x = (this.bits() + 0.5) * 2 ** -31 - 1, y = (this.bits() + 0.5) * 2 ** -31 - 1;
      const square = x * x + y * y;
      if (square < 1) {
        const factor = Math.sqrt(-2 * Math.log(square) / square);
        this.spare = x * factor;
        return y * factor;
      }
    }
  }

  /** +1 or -1, fair. */
  sign() {
    return this.bits() & 1 ? 1 : -1;
  }

  /** The sum of `count` fair signs: 32 of them at a time, by counting bits. */
  signs(count) {
    let ones = 0;
    for (let left = count; left > 0; left -= 32) {
      let word = left < 32 ? this.bits() >>> (32 - left) : this.bits();
      word -= (word >>> 1) & 0x55555555;
      word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
      ones += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
    return 2 * ones - count;
  }

  /** The sum of `count` products of two numbers uniform in ±1. */
  uniformProducts(count) {
    let total = 0;
    for (let i = 0; i < count; i += 1) total += (2 * this.uniform() - 1) * (2 * this.uniform() - 1);
    return total;
  }

  /** Chi-squared with `count` degrees of freedom (Marsaglia and Tsang 2000). */
  chiSquared(count) {
    if (count === 1) return this.normal() ** 2;
    const shape = count / 2 - 1 / 3, width = 1 / Math.sqrt(9 * shape);
    for (;;) {
      const x = this.normal(), cube = (1 + width * x) ** 3;
      if (cube <= 0) continue;
      if (Math.log(this.uniform()) < x * x / 2 + shape * (1 - cube + Math.log(cube)))
        return 2 * shape * cube;
    }
  }
}
