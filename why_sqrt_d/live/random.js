/* A generator with a seed, so that a state can be named by an address and tested. */
import { randomBinomial, randomGamma, randomNormal } from "./d3.js";

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
    for (let i = 0; i < 12; i += 1) this.uniform();
    const source = () => this.uniform();
    this.normal = randomNormal.source(source)();
    this.gamma = randomGamma.source(source);
    this.successes = randomBinomial.source(source);
  }

  /** Uniform between 0 and 1, both excluded; a multiple of 2^-33. */
  uniform() {
    const sum = (this.a + this.b + this.count) | 0;
    this.count = (this.count + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return ((sum >>> 0) + 0.5) * 2 ** -32;
  }

  /** A row of standard normal numbers. */
  normals(count) { return Float64Array.from({ length: count }, this.normal); }

  /** How many of `count` trials with this chance succeed. */
  binomial(count, chance) { return this.successes(count, chance)(); }

  /** The sum of `count` fair signs. */
  signs(count) { return 2 * this.binomial(count, 0.5) - count; }

  /** Chi-squared with `count` degrees of freedom. */
  chiSquared(count) { return this.gamma(count / 2, 2)(); }
}
