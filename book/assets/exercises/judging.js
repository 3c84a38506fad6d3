/* Judges an answer as why_sqrt_d/exercises/kinds does: tests/course/exercises/verdicts.txt
 * holds the two together. */
(exercises => {
  "use strict";

  const { SAY, say, parseNumber, parseArray } = exercises;
  const EXACT = 1e-3, NEAR = 0.05;

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

  // ------------------------------------------------------------------------- numbers

  function halfUnit(target, digits) {
    if (!digits || target === 0 || !Number.isFinite(target)) return 0;
    return 0.5 * Math.pow(10, Number(target.toExponential().split("e")[1]) - digits + 1) * (1 + 1e-9);
  }
  const close = (x, target, spec) => Math.abs(x - target) <=
    Math.max(spec.atol + spec.rtol * Math.abs(target), halfUnit(target, spec.digits));
  const near = (x, target, spec) => close(x, target, spec) || x === Number(target.toPrecision(2)) ||
    Math.abs(x - target) <= NEAR * (target > 0.9 && target < 1 ? 1 - target : Math.abs(target - spec.even));
  const asTyped = (x, digits) => digits > 0 && Number(x.toPrecision(digits)) === x;

  // Whether x is what a known mistake gives: near it, or rounded; no round number that lies near.
  function meant(x, target, spec, rtol = EXACT, digits = 0) {
    if (Math.abs(x - target) <= spec.atol + Math.min(rtol, spec.rtol) * Math.abs(target)) return true;
    digits = digits || spec.digits;
    const half = Math.min(halfUnit(x, digits), halfUnit(target, digits));
    return asTyped(x, digits) && Math.abs(x - target) <= half;
  }

  // The known mistake that gives these numbers: exactly, nearly, or with two digits.
  function named(spec, got) {
    const value = spec.values, alike = got.length === value.length && got.every((x, i) => near(x, value[i], spec));
    const brief = got.every((x, i) => i >= value.length || asTyped(x, 2) || close(x, value[i], spec));
    const given = (rtol, digits) => spec.wrong.find(({ values }) =>
      values.length === got.length && got.every((x, i) => meant(x, values[i], spec, rtol, digits)));
    return given(EXACT) ?? (brief ? null : given(Math.min(spec.rtol, 20 * EXACT))) ??
      (alike || got.every(x => asTyped(x, 1)) ? null : given(EXACT, 2));
  }

  const same = (got, value, spec) =>
    got.length === value.length && got.every((x, i) => close(x, value[i], spec));
  const sorted = a => a.toSorted((x, y) => x - y);
  const total = (a, b) => a.reduce((sum, x, i) => sum + x * (b ? b[i] : 1), 0);

  function judgeNumbers(spec, got) {
    const value = spec.values, n = value.length;
    if (same(got, value, spec)) return right();
    const known = named(spec, got);
    if (known) return wrong(known.say);
    if (got.length !== n) return wrong(say("count", { a: n, b: got.length }));
    const off = value.map((_, i) => i).filter(i => !close(got[i], value[i], spec));
    const far = off.filter(i => !near(got[i], value[i], spec));
    if (n > 1 && far.length) {
      if (same(sorted(got), sorted(value), spec)) return hinted(SAY.shuffled);
      const factor = total(got, value) / (total(value, value) || 1);
      if (factor && same(got.map(x => x / factor), value, spec)) {
        if (Math.abs(factor - 100) < 1) return wrong(SAY.percents);
        if (new Set(value.filter(Boolean).map(Math.abs)).size > 1) return hinted(SAY.factor);
      }
      if (spec.even && Math.abs(total(got) - 1) > 0.02) return wrong(say("sum", { a: four(total(got)) }));
    }
    const at = (far.length ? far : off)[0], [x, y] = [got[at], value[at]];
    if (spec.repair && at === 0) return hinted(say("line", { a: four(x) }));
    const percent = n === 1 && Math.abs(y) <= 1 && (close(x, 100 * y, spec) || meant(100 * x, y, spec));
    const key = near(x, y, spec) ? "near" : percent ? "percent" : x <= 0 && y > 0 ? "positive" : x > y ? "large" : "small";
    return hinted(n === 1 ? SAY[key] : say("entry", { i: at + 1, a: SAY[key] }),
      n === 2 && String(off) === "1" ? 2 : 1); // of a repair, on its line or its number
  }

  function guessNumber(spec, x) {
    const [value] = spec.values;
    if (close(x, value, spec)) return guess(say("guesshit", { a: four(value) }));
    const line = say("guessfar", { a: four(value), b: four(x) });
    const known = spec.wrong.find(w => // a guess may be given with two digits
      [2, 3].some(digits => meant(x, w.values[0], spec, EXACT, digits)));
    return guess(known ? line + " " + known.say : line);
  }

  const JUDGES = {
    number: (spec, text) => (spec.guess ? guessNumber(spec, parseNumber(text)) : judgeNumbers(spec, [parseNumber(text)])),
    array: (spec, text) => judgeNumbers(spec, parseArray(text, spec.values.length)),

    choice(spec, letter) {
      if (!letter) return blank();
      if (letter === spec.right) return spec.guess ? guess(SAY.guessright) : right();
      const known = spec.wrong.find(w => w.letter === letter);
      return spec.guess ? guess(say("guessmiss", { a: spec.right, b: spec.text }) + " " + known.say) : wrong(known.say);
    },

    order(spec, letters) {
      const known = spec.wrong.find(w => w.letters === letters);
      if (known) return wrong(known.say);
      const need = spec.needs.find(n => letters.indexOf(n[0]) < letters.indexOf(n[1]));
      return need ? wrong(say("needs", { a: need[0], b: need[1], c: need[2] })) : right();
    },
  };

  exercises.four = four;
  exercises.judge = (spec, answer) => {
    try {
      const said = JUDGES[spec.kind](spec, answer);
      if (said.passed && spec.praise) said.message += ` ${spec.praise}`;
      if (said.hint) said.message += ` ${spec.steps[said.hint - 1]}`;
      return said;
    } catch (error) {
      if (!(error instanceof exercises.NotANumber)) throw error;
      return { ...(error.line === SAY.blank ? blank() : wrong(error.line)), unread: true };
    }
  };
})(window.whySqrtDExercises ??= {});
