/* Judges an answer as why_sqrt_d/exercises/kinds does: tests/course/exercises/verdicts.txt
 * holds the two together. */
(function (exercises) {
  "use strict";

  var SAY = exercises.SAY, say = exercises.say;
  var parseNumber = exercises.parseNumber, parseArray = exercises.parseArray;
  var EXACT = 1e-3, NEAR = 0.05;

  Object.assign(SAY, {
    trialnear: "The page has tried {a}, the nearest number in its table.",
    trialend: "The page has tried numbers from {a} to {b}; the notebook tries any."
  });

  function reply(passed, message, more) {
    return Object.assign({ passed: passed, message: message, blank: false }, more);
  }
  var right = function () { return reply(true, SAY.right); };
  var wrong = function (message) { return reply(false, message); };
  var hinted = function (message) { return reply(false, message, { hint: true }); };
  var guess = function (message) { return reply(true, message, { guess: true }); };
  var blank = function () { return reply(false, SAY.blank, { blank: true }); };

  function four(x) {
    if (x === 0) return "0";
    var parts = x.toExponential(3).split("e"), power = Number(parts[1]);
    if (power < -5 || power >= 7) return parts[0].replace(/\.?0+$/, "") + "e" + power;
    var text = Number(x.toPrecision(4)).toFixed(Math.max(0, 3 - power));
    return text.indexOf(".") >= 0 ? text.replace(/\.?0+$/, "") : text;
  }

  function halfUnit(target, digits) {
    if (!digits || target === 0 || !Number.isFinite(target)) return 0;
    return 0.5 * Math.pow(10, Number(target.toExponential().split("e")[1]) - digits + 1) * (1 + 1e-9);
  }
  function close(x, target, spec) {
    var allowed = Math.max(spec.atol + spec.rtol * Math.abs(target), halfUnit(target, spec.digits));
    return Math.abs(x - target) <= allowed;
  }
  function near(x, target, spec) {
    return close(x, target, spec) || Math.abs(x - target) <= NEAR * Math.abs(target);
  }
  function asTyped(x, digits) { return digits > 0 && Number(x.toPrecision(digits)) === x; }

  // Whether x is what a known mistake gives: near it, or rounded; no round number that lies near.
  function meant(x, target, spec, rtol, digits) {
    if (Math.abs(x - target) <= spec.atol + Math.min(rtol, spec.rtol) * Math.abs(target)) return true;
    digits = digits || spec.digits;
    var half = Math.min(halfUnit(x, digits), halfUnit(target, digits));
    return asTyped(x, digits) && Math.abs(x - target) <= half;
  }

  // ------------------------------------------------------------------------- numbers

  function judgeNumber(spec, text) {
    var x = parseNumber(text), value = spec.value, known;
    if (close(x, value, spec)) return right();
    [EXACT].concat(asTyped(x, 2) ? [] : [spec.rtol]).forEach(function (rtol) {
      known = known || spec.wrong.find(function (w) { return meant(x, w.value, spec, rtol); });
    });
    if (known) return wrong(known.say);
    if (close(-x, value, spec)) return hinted(SAY.sign);
    if (near(x, value, spec)) return hinted(SAY.near);
    if (Math.abs(value) <= 1 && (close(x, 100 * value, spec) || close(100 * x, value, spec))) {
      return hinted(SAY.percent);
    }
    if ((x <= 0 && value > 0) || (value < 0 && x >= 0)) return hinted(value > 0 ? SAY.positive : SAY.negative);
    if (Math.abs(x) > Math.abs(value)) {
      return hinted(value !== 0 && Math.abs(x) > 10 * Math.abs(value) ? SAY.larger : SAY.large);
    }
    return hinted(10 * Math.abs(x) < Math.abs(value) ? SAY.smaller : SAY.small);
  }

  function guessNumber(spec, text) {
    var x = parseNumber(text), value = spec.value, a = four(value), line;
    if (close(x, value, spec)) return guess(say("guesshit", { a: a }));
    if (1 / spec.near <= x / value && x / value <= spec.near) line = say("guessclose", { a: a, b: four(x) });
    else if (x * value <= 0 || spec.rtol < 1e-6) line = say("guessfar", { a: a, b: four(x) }); // a count
    else if (Math.abs(x) > Math.abs(value)) line = say("guesslarge", { a: a, b: four(x / value) });
    else line = say("guesssmall", { a: a, b: four(value / x) });
    var known = spec.wrong.find(function (w) { // a guess may be given with two digits
      return [2, 3].some(function (digits) { return meant(x, w.value, spec, EXACT, digits); });
    });
    return guess(known ? line + " " + known.say : line);
  }

  // A trial that was run while the page was made, at the nearest number.
  function judgeTrial(spec, text) {
    var x = parseNumber(text), table = spec.table, last = table[table.length - 1];
    if (x <= 0) return wrong(SAY.trialpositive);
    if (x < table[0][0] * 0.999 || x > last[0] * 1.001) {
      return wrong(say("trialend", { a: four(table[0][0]), b: four(last[0]) }));
    }
    var far = function (row) { return Math.abs(Math.log(x / row[0])); };
    var row = table.reduce(function (best, next) { return far(next) < far(best) ? next : best; });
    var line = row[1] ? SAY.right + " " + row[2] : row[2];
    if (far(row) > 1e-3) line += " " + say("trialnear", { a: four(row[0]) });
    var known = row[1] ? null : spec.wrong.find(function (w) { return meant(x, w.value, spec, EXACT); });
    return reply(row[1], known ? line + " " + known.say : line);
  }

  // -------------------------------------------------------------------------- arrays

  function same(got, value, spec) {
    return got.length === value.length && got.every(function (x, i) { return close(x, value[i], spec); });
  }
  var sorted = function (a) { return a.slice().sort(function (x, y) { return x - y; }); };
  var shapeText = function (s) { return s.length === 1 ? "(" + s[0] + ",)" : "(" + s.join(", ") + ")"; };
  function total(a, b) { return a.reduce(function (sum, x, i) { return sum + x * b[i]; }, 0); }

  function placeOf(position, shape) {
    if (shape.length === 1) return "number " + (position + 1);
    var index = [];
    for (var k = shape.length - 1; k >= 0; k -= 1) {
      index.unshift(position % shape[k]);
      position = Math.floor(position / shape[k]);
    }
    return "the entry at index [" + index.join(", ") + "]";
  }

  function rowSum(got, shape) {
    var width = shape[shape.length - 1];
    for (var row = 0; row * width < got.length; row += 1) {
      var sum = got.slice(row * width, (row + 1) * width).reduce(function (a, b) { return a + b; }, 0);
      if (Math.abs(sum - 1) > 0.02) return say(shape.length === 1 ? "sum" : "rowsum", { i: row, a: four(sum) });
    }
    return "";
  }

  function judgeArray(spec, text) {
    var value = spec.values, n = value.length, asked = String(spec.shape);
    var grid = parseArray(text, spec.shape.length === 1 ? n : 0), got = grid.values, shape = grid.shape;
    if (spec.shape.length === 1 && (String(shape) === "1," + n || String(shape) === n + ",1")) shape = [n];
    if (String(shape) === asked && same(got, value, spec)) return right();
    var known;
    [EXACT, spec.rtol].forEach(function (rtol) {
      known = known || spec.wrong.find(function (w) {
        return String(shape) === String(w.shape) &&
          got.every(function (x, i) { return meant(x, w.values[i], spec, rtol); });
      });
    });
    if (known) return wrong(known.say);
    if (shape.length === 2 && String(shape.slice().reverse()) === asked) {
      var turned = got.map(function (x, k) { return value[(k % shape[1]) * shape[0] + Math.floor(k / shape[1])]; });
      if (same(got, turned, spec)) return wrong(SAY.transposed);
    }
    if (String(shape) !== asked) {
      return wrong(spec.shape.length !== 1 || shape.length > 1
        ? say("shape", { a: shapeText(spec.shape), b: shapeText(shape) })
        : say("count", { a: n, b: shape.length ? shape[0] : 1 }));
    }
    if (same(sorted(got), sorted(value), spec)) return hinted(SAY.shuffled);
    var off = value.map(function (_, i) { return i; }).filter(function (i) { return !close(got[i], value[i], spec); });
    var far = off.filter(function (i) { return !near(got[i], value[i], spec); });
    if (!far.length) return hinted(say("nearentry", { i: placeOf(off[0], shape) }));
    var factor = total(got, value) / (total(value, value) || 1);
    if (n > 1 && factor && same(got.map(function (x) { return x / factor; }), value, spec)) {
      if (Math.abs(factor + 1) < 0.01) return wrong(SAY.negated);
      if (Math.abs(factor - 100) < 1) return wrong(SAY.percents);
      if (new Set(value.filter(Boolean).map(Math.abs)).size > 1) return hinted(SAY.factor);
    }
    var line = spec.sums ? rowSum(got, shape) : "";
    if (line) return wrong(line);
    return hinted(say(off.length === 1 && n > 1 ? "onlyentry" : "entry",
      { i: placeOf(far[0], shape), a: four(got[far[0]]) }));
  }

  // ------------------------------------------------------------------------- letters

  function judgeChoice(spec, letter) {
    if (!letter) return blank();
    if (letter === spec.right) return spec.guess ? guess(SAY.guessright) : right();
    var known = spec.wrong.find(function (w) { return w.letter === letter; });
    return spec.guess ? guess(say("guessmiss", { a: spec.right, b: spec.text }) + " " + known.say) : wrong(known.say);
  }

  function judgeOrder(spec, letters) {
    if (letters === spec.right) return right();
    var known = spec.wrong.find(function (w) { return w.letters === letters; });
    if (known) return wrong(known.say);
    var need = spec.needs.find(function (n) { return letters.indexOf(n[0]) < letters.indexOf(n[1]); });
    if (need) return wrong(say("needs", { a: need[0], b: need[1], c: need[2] }));
    if (spec.any_order) return right();
    var at = 0;
    while (letters[at] === spec.right[at]) at += 1;
    return hinted(at === 0 ? say("notfirst", { a: letters[0] })
      : say("notnext", { a: letters[at - 1], b: letters[at] }));
  }

  var JUDGES = { number: judgeNumber, array: judgeArray, choice: judgeChoice, order: judgeOrder };

  exercises.four = four;
  exercises.judge = function (spec, answer) {
    var number = spec.kind === "number";
    var judge = spec.table ? judgeTrial : spec.guess && number ? guessNumber : JUDGES[spec.kind];
    try {
      var said = judge(spec, answer);
      if (said.passed && spec.praise) said.message += " " + spec.praise;
      if (said.hint) said.message += " " + spec.step;
      return said;
    } catch (error) {
      if (!(error instanceof exercises.NotANumber)) throw error;
      return Object.assign(error.line === SAY.blank ? blank() : wrong(error.line), { unread: true });
    }
  };
})(window.whySqrtDExercises = window.whySqrtDExercises || {});
