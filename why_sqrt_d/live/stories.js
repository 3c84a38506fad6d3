/* stories260K, the trained model of why_sqrt_d/stories.py: its words, its layers, and a cache of keys
   and values, so that each token is computed once. A test compares both. */
import { max, sum } from "./d3.js";
import { softmax } from "./softmax.js";

const LAYERS = 5, HEADS = 8, SHARED = 2; // two query heads share a key head
const D = 8, WIDTH = 64, NARROW = WIDTH / SHARED, HIDDEN = 172, VOCABULARY = 512;
const CONTEXT = 512;
const BEGIN = 1; // the token with which a text begins
const ANGLES = Float64Array.from({ length: D / 2 }, (_, i) => 10000 ** (-2 * i / D));

/** A number of 16 bits. */
function half(bits) {
  const exponent = (bits >> 10) & 31, digits = bits & 1023, sign = bits >> 15 ? -1 : 1;
  return sign * (exponent ? (1024 + digits) * 2 ** (exponent - 25) : digits * 2 ** -24);
}

/** Matrix times vector. */
function times(matrix, x) {
  const width = x.length;
  return Float32Array.from({ length: matrix.length / width }, (_, i) => {
    let total = 0;
    for (let j = 0, at = i * width; j < width; j += 1, at += 1) total += matrix[at] * x[j];
    return total;
  });
}

function rmsNorm(x, gain) {
  const size = Math.sqrt(sum(x.map(one => one * one)) / x.length + 1e-5);
  return x.map((one, i) => one / size * gain[i]);
}

/** Turn the pairs of components in place, by angles in proportion to the position. */
function rotate(x, position) {
  for (let i = 0; i < x.length; i += 2) {
    const angle = position * ANGLES[(i % D) / 2], cos = Math.cos(angle), sin = Math.sin(angle);
    [x[i], x[i + 1]] = [x[i] * cos - x[i + 1] * sin, x[i] * sin + x[i + 1] * cos];
  }
  return x;
}

export class Stories {
  /** The model as `why_sqrt_d.front.live.packed_model` writes it: numbers of 16 bits, then the pieces
      of words, all in base64. */
  constructor(packed) {
    const bytes = Uint8Array.from(atob(packed), letter => letter.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    let at = 0;
    const take = count => Float32Array.from({ length: count }, () => half(view.getUint16((at += 2) - 2, true)));
    const layers = count => Array.from({ length: LAYERS }, () => take(count));
    Object.assign(this, { embedding: take(VOCABULARY * WIDTH), attentionNorm: layers(WIDTH),
      query: layers(WIDTH * WIDTH), key: layers(NARROW * WIDTH), value: layers(NARROW * WIDTH),
      out: layers(WIDTH * WIDTH), hiddenNorm: layers(WIDTH), gate: layers(HIDDEN * WIDTH),
      down: layers(WIDTH * HIDDEN), up: layers(HIDDEN * WIDTH), lastNorm: take(WIDTH) });
    this.pieces = [];
    this.scores = [];
    this.number = new Map();
    for (at += 4; at < bytes.length;) {
      const start = at + 8, end = start + view.getInt32(at + 4, true);
      const piece = String.fromCharCode(...bytes.subarray(start, end));
      if (!this.number.has(piece)) this.number.set(piece, this.pieces.length);
      this.scores.push(view.getFloat32(at, true));
      this.pieces.push(piece);
      at = end;
    }
  }

  /** The tokens of a text: its characters, merged greedily by score, behind BEGIN. */
  encode(text) {
    const bytes = [...(text ? ` ${text}` : "")].map(letter => new TextEncoder().encode(letter));
    const tokens = bytes.flatMap(raw =>
      this.number.get(String.fromCharCode(...raw)) ?? [...raw].map(byte => byte + 3));
    for (;;) {
      let best = -Infinity, place, merged;
      for (let i = 0; i + 1 < tokens.length; i += 1) {
        const both = this.number.get(this.pieces[tokens[i]] + this.pieces[tokens[i + 1]]);
        if (this.scores[both] > best) [best, place, merged] = [this.scores[both], i, both];
      }
      if (place === undefined) return [BEGIN, ...tokens];
      tokens.splice(place, 2, merged);
    }
  }

  /** The text of tokens; BEGIN is none. */
  decode(tokens) {
    const bytes = tokens.filter(token => token !== BEGIN).map(token => this.pieces[token])
      .join("").replace(/<0x(..)>/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
    return new TextDecoder().decode(Uint8Array.from(bytes, letter => letter.charCodeAt(0)));
  }

  /** Take in the next token; returns the logits of the one after it. `past` has keys and values of
      those before it; the trained scale is multiplied by `multiplier`. What heads see is added to
      `seen`: the logits of every head, layer by layer. */
  next(token, past, multiplier, seen) {
    const { position } = past, scale = multiplier / Math.sqrt(D);
    let x = this.embedding.slice(token * WIDTH, (token + 1) * WIDTH);
    const add = more => { x = x.map((one, i) => one + more[i]); };
    for (let layer = 0; layer < LAYERS; layer += 1) {
      let h = rmsNorm(x, this.attentionNorm[layer]);
      const query = rotate(times(this.query[layer], h), position), mixed = new Float32Array(WIDTH);
      const keys = past.keys[layer], values = past.values[layer];
      keys.set(rotate(times(this.key[layer], h), position), position * NARROW);
      values.set(times(this.value[layer], h), position * NARROW);
      for (let head = 0; head < HEADS; head += 1) {
        const mine = head * D, its = Math.floor(head / SHARED) * D, logits = [];
        for (let at = its; at <= position * NARROW + its; at += NARROW) {
          let score = 0;
          for (let i = 0; i < D; i += 1) score += query[mine + i] * keys[at + i];
          logits.push(scale * score);
        }
        seen?.push(logits);
        const top = max(logits);
        let total = 0;
        for (let k = 0, at = its; k <= position; k += 1, at += NARROW) {
          const power = Math.exp(logits[k] - top);
          total += power;
          for (let i = 0; i < D; i += 1) mixed[mine + i] += power * values[at + i];
        }
        for (let i = mine; i < mine + D; i += 1) mixed[i] /= total;
      }
      add(times(this.out[layer], mixed));
      h = rmsNorm(x, this.hiddenNorm[layer]);
      const gate = times(this.gate[layer], h), up = times(this.up[layer], h);
      add(times(this.down[layer], gate.map((one, i) => one / (1 + Math.exp(-one)) * up[i])));
    }
    past.position += 1;
    return times(this.embedding, rmsNorm(x, this.lastNorm));
  }

  /** The logits after each token. */
  forward(tokens, multiplier, past = nothing()) {
    return tokens.map(token => this.next(token, past, multiplier));
  }

  /** The mean loss of a text's tokens, in nats, each from those before it. */
  loss(tokens, multiplier) {
    const rows = this.forward(tokens.slice(0, -1), multiplier);
    return -sum(rows.map((row, i) => Math.log(softmax(row)[tokens[i + 1]]))) / rows.length;
  }

  /** Go on from these tokens with `length` more, always the likeliest; `seen` is what each head saw at
      the last token of the beginning. */
  tell(tokens, length, multiplier) {
    const past = nothing(), seen = [], told = [];
    this.forward(tokens.slice(0, -1), multiplier, past);
    let logits = this.next(tokens.at(-1), past, multiplier, seen);
    while (told.length < length) {
      const token = logits.indexOf(Math.max(...logits));
      if (token === BEGIN) break; // the story is at its end
      told.push(token);
      if (told.length < length) logits = this.next(token, past, multiplier);
    }
    return { told, seen };
  }
}

function nothing() {
  const rows = () => Array.from({ length: LAYERS }, () => new Float32Array(CONTEXT * NARROW));
  return { position: 0, keys: rows(), values: rows() };
}
