/* Judges an answer as why_sqrt_d/exercises/kinds does: tests/course/exercises/verdicts.txt
 * holds the two together. */
(exercises => {
  "use strict";

  const { SAY, say, parseNumber, parseArray } = exercises;
  const EXACT = 1e-3, NEAR = 0.05;

  Object.assign(SAY, {
    trialnear: "The page has tried {a}, the nearest number in its table.",
    trialend: "The page has tried numbers from {a} to {b}; the notebook tries any."
  });

  const reply = (passed, message, more) => ({ passed, message, blank: false, ...more });
  const right = () => reply(true, SAY.right);
  const wrong = message => reply(false, message);
  const hinted = (message, hint = 1) => reply(false, message, { hint });
  const guess = message => reply(true, message, { guess: true });
  const blank = () => reply(false, SAY.blank, { blank: true });

  function four(x) {
    if (x === 0) return "0";
    const parts = x.toExponential(3).split("e"), power = Number(parts[1]);
    if (power < -5 || power >= 7) return parts[0].replace(/\.?0+$/, "") + "e" + power;
    const text = Number(x.toPrecision(4)).toFixed(Math.max(0, 3 - power));
    return text.indexOf(".") >= 0 ? text.replace(/\.?0+$/, "") : text;
  }

  function halfUnit(target, digits) {
    if (!digits || target === 0 || !Number.isFinite(target)) return 0;
    return 0.5 * Math.pow(10, Number(target.toExponential().split("e")[1]) - digits + 1) * (1 + 1e-9);
  }
  const close = (x, target, spec) => Math.abs(x - target) <=
    Math.max(spec.atol + spec.rtol * Math.abs(target), halfUnit(target, spec.digits));
  const near = (x, target, spec) => close(x, target, spec) || x === Number(target.toPrecision(2)) ||
    Math.abs(x - target) <= NEAR * (target > 0.9 && target < 1 ? 1 - target : Math.abs(target - (spec.even ?? 0)));
  const asTyped = (x, digits) => digits > 0 && Number(x.toPrecision(digits)) === x;
  const brief = (x, target, spec) => // right, or with two digits in place of three
    close(x, target, spec) || (spec.digits === 3 && x === Number(target.toPrecision(2)));

  // Whether x is what a known mistake gives: near it, or rounded; no round number that lies near.
  function meant(x, target, spec, rtol, digits) {
    if (Math.abs(x - target) <= spec.atol + Math.min(rtol, spec.rtol) * Math.abs(target)) return true;
    digits = digits || spec.digits;
    const half = Math.min(halfUnit(x, digits), halfUnit(target, digits));
    return asTyped(x, digits) && Math.abs(x - target) <= half;
  }

  // ------------------------------------------------------------------------- numbers

  function judgeNumber(spec, text) {
    const x = parseNumber(text), { value } = spec;
    if (close(x, value, spec)) return right();
    const given = (rtol, digits) => spec.wrong.find(w => meant(x, w.value, spec, rtol, digits));
    const two = !asTyped(x, 1) && !near(x, value, spec); // digits, and no rounded right answer
    const known = given(EXACT) ?? (!asTyped(x, 2) ? given(spec.rtol) : two ? given(EXACT, 2) : null);
    if (known) return wrong(known.say);
    if (close(-x, value, spec)) return hinted(SAY.sign);
    if (near(x, value, spec)) return hinted(SAY.near);
    if (Math.abs(value) <= 1 && (close(x, 100 * value, spec) || meant(100 * x, value, spec, EXACT)))
      return hinted(SAY.percent);
    if ((x <= 0 && value > 0) || (value < 0 && x >= 0)) return hinted(value > 0 ? SAY.positive : SAY.negative);
    if (value < 0) return hinted(x < value ? SAY.below : SAY.above);
    if (Math.abs(x) > Math.abs(value))
      return hinted(value !== 0 && Math.abs(x) > 10 * Math.abs(value) ? SAY.larger : SAY.large);
    return hinted(10 * Math.abs(x) < Math.abs(value) ? SAY.smaller : SAY.small);
  }

  function guessNumber(spec, text) {
    const x = parseNumber(text), { value } = spec, a = four(value);
    let line;
    if (close(x, value, spec)) return guess(say("guesshit", { a }));
    if (1 / spec.near <= x / value && x / value <= spec.near) line = say("guessclose", { a, b: four(x) });
    else if (x * value <= 0 || spec.rtol < 1e-6) line = say("guessfar", { a, b: four(x) }); // a count
    else line = say(Math.abs(x) > Math.abs(value) ? "guesslarge" : "guesssmall",
      { a, b: four(Number(Math.max(x / value, value / x).toPrecision(2))) });
    const known = spec.wrong.find(w => // a guess may be given with two digits
      [2, 3].some(digits => meant(x, w.value, spec, EXACT, digits)));
    return guess(known ? line + " " + known.say : line);
  }

  // A trial that was run while the page was made, at the nearest number.
  function judgeTrial(spec, text) {
    const x = parseNumber(text), { table } = spec, last = table.at(-1);
    if (x <= 0) return wrong(SAY.trialpositive);
    if (x < table[0][0] * 0.999 || x > last[0] * 1.001)
      return wrong(say("trialend", { a: four(table[0][0]), b: four(last[0]) }));
    const far = row => Math.abs(Math.log(x / row[0]));
    const row = table.reduce((best, next) => (far(next) < far(best) ? next : best));
    let line = row[1] ? SAY.right + " " + row[2] : row[2];
    if (far(row) > 1e-3) line += " " + say("trialnear", { a: four(row[0]) });
    const known = row[1] ? null : spec.wrong.find(w => meant(x, w.value, spec, EXACT));
    return reply(row[1], known ? line + " " + known.say : line);
  }

  // -------------------------------------------------------------------------- arrays

  const same = (got, value, spec) =>
    got.length === value.length && got.every((x, i) => close(x, value[i], spec));
  const sorted = a => a.toSorted((x, y) => x - y);
  const shapeText = s => (s.length === 1 ? `(${s[0]},)` : `(${s.join(", ")})`);
  const total = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

  function placeOf(position, shape) {
    if (shape.length === 1) return `number ${position + 1}`;
    const index = shape.reduceRight(([rest, ...found], n) => [Math.floor(rest / n), rest % n, ...found], [position]);
    return `the entry at index [${index.slice(1).join(", ")}]`;
  }

  function rowSum(got, shape) {
    const width = shape.at(-1);
    for (let i = 0; i * width < got.length; i += 1) {
      const sum = got.slice(i * width, (i + 1) * width).reduce((a, b) => a + b, 0);
      if (Math.abs(sum - 1) > 0.02) return say(shape.length === 1 ? "sum" : "rowsum", { i, a: four(sum) });
    }
    return "";
  }

  function judgeArray(spec, text) {
    const value = spec.values, n = value.length, asked = String(spec.shape);
    let { values: got, shape } = parseArray(text, spec.shape.length === 1 ? n : 0);
    if (got.length === n && (shape.length < 2 || (spec.shape.length === 1 && shape.includes(n)))) shape = spec.shape;
    if (String(shape) === asked && same(got, value, spec)) return right();
    const all = test => String(shape) === asked && got.every((x, i) => test(x, value[i], spec));
    const given = (rtol, digits) => spec.wrong.find(w => String(shape) === String(w.shape) &&
      !all(digits ? near : brief) && got.every((x, i) => meant(x, w.values[i], spec, rtol, digits)));
    const known = given(EXACT) ?? given(spec.rtol) ?? given(EXACT, 2);
    if (known) return wrong(known.say);
    if (shape.length === 2 && String(shape.toReversed()) === asked) {
      const turned = got.map((x, k) => value[(k % shape[1]) * shape[0] + Math.floor(k / shape[1])]);
      if (same(got, turned, spec)) return wrong(SAY.transposed);
    }
    if (String(shape) !== asked) {
      return wrong(spec.shape.length !== 1 || shape.length > 1
        ? say("shape", { a: shapeText(spec.shape), b: shapeText(shape) })
        : say("count", { a: n, b: shape[0] ?? 1 }));
    }
    if (same(sorted(got), sorted(value), spec)) return hinted(SAY.shuffled);
    const off = value.map((_, i) => i).filter(i => !close(got[i], value[i], spec));
    const far = off.filter(i => !near(got[i], value[i], spec));
    if (!far.length) return hinted(say("nearentry", { i: placeOf(off[0], shape) }));
    if (far.length > 1 && got.every((x, i) => x === Number(value[i].toPrecision(1)))) return hinted(SAY.rounded);
    const factor = total(got, value) / (total(value, value) || 1);
    if (n > 1 && factor && same(got.map(x => x / factor), value, spec)) {
      if (Math.abs(factor + 1) < 0.01) return wrong(SAY.negated);
      if (Math.abs(factor - 100) < 1) return wrong(SAY.percents);
      if (new Set(value.filter(Boolean).map(Math.abs)).size > 1) return hinted(SAY.factor);
    }
    const line = spec.even ? rowSum(got, shape) : "";
    if (line) return wrong(line);
    const [x, y] = [got[far[0]], value[far[0]]];
    if (spec.repair && far[0] === 0) return hinted(say("line", { a: four(x) }));
    const a = x <= 0 && y > 0 ? SAY.positive.toLowerCase() : y < 0 && x >= 0 ? SAY.negative.toLowerCase()
      : y > 0 ? `${four(x)} is ${(x > y ? SAY.large : SAY.small).toLowerCase()}` : say("yours", { a: four(x) });
    return hinted(say(off.length === 1 && n > 1 ? "onlyentry" : "entry", { i: placeOf(far[0], shape), a }),
      n === 2 && String(off) === "1" ? 2 : 1); // the first hint finds a repair's line, the second its number
  }

  // ------------------------------------------------------------------------- letters

  function judgeChoice(spec, letter) {
    if (!letter) return blank();
    if (letter === spec.right) return spec.guess ? guess(SAY.guessright) : right();
    const known = spec.wrong.find(w => w.letter === letter);
    return spec.guess ? guess(say("guessmiss", { a: spec.right, b: spec.text }) + " " + known.say) : wrong(known.say);
  }

  function judgeOrder(spec, letters) {
    if (letters === spec.right) return right();
    const known = spec.wrong.find(w => w.letters === letters);
    if (known) return wrong(known.say);
    const need = spec.needs.find(n => letters.indexOf(n[0]) < letters.indexOf(n[1]));
    if (need) return wrong(say("needs", { a: need[0], b: need[1], c: need[2] }));
    if (spec.any_order) return right();
    let at = 0;
    while (letters[at] === spec.right[at]) at += 1;
    return hinted(at === 0 ? say("notfirst", { a: letters[0] })
      : say("notnext", { a: letters[at - 1], b: letters[at] }));
  }

  const JUDGES = { number: judgeNumber, array: judgeArray, choice: judgeChoice, order: judgeOrder };

  exercises.four = four;
  exercises.judge = (spec, answer) => {
    const { kind, table, guess: bet } = spec;
    const judge = table ? judgeTrial : bet && kind === "number" ? guessNumber : JUDGES[kind];
    try {
      const said = judge(spec, answer);
      if (said.passed && spec.praise) said.message += ` ${spec.praise}`;
      if (said.hint) said.message += ` ${spec.steps[said.hint - 1]}`;
      return said;
    } catch (error) {
      if (!(error instanceof exercises.NotANumber)) throw error;
      return { ...(error.line === SAY.blank ? blank() : wrong(error.line)), unread: true };
    }
  };
})(window.whySqrtDExercises ??= {});
