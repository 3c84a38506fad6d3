/* Judges an answer as why_sqrt_d/exercises/kinds does; tests/course/exercises holds them together. */
(function (exercises) {
  "use strict";

  var SAY = exercises.SAY, say = exercises.say;
  var parseNumber = exercises.parseNumber, parseArray = exercises.parseArray;
  var withHint = exercises.withHint;

  // -------------------------------------------------------------------------- judging

  var right = function () { return { passed: true, message: SAY.right, blank: false }; };
  var wrong = function (message) { return { passed: false, message: message, blank: false }; };
  var blank = function () { return { passed: false, message: SAY.blank, blank: true }; };

  function four(x) {
    if (x === 0) return "0";
    var parts = x.toExponential(3).split("e"), power = Number(parts[1]);
    var mantissa = parts[0].replace(/0+$/, "").replace(/\.$/, "");
    if (power < -5 || power >= 7) return mantissa + "e" + power;
    var text = Number(x.toPrecision(4)).toFixed(Math.max(0, 3 - power));
    return text.indexOf(".") >= 0 ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
  }

  // What rounding to the promised number of digits does is allowed.
  function halfUnit(target, digits) {
    if (!digits || target === 0 || !Number.isFinite(target)) return 0;
    return 0.5 * Math.pow(10, Number(target.toExponential().split("e")[1]) - digits + 1) * (1 + 1e-9);
  }

  function close(x, target, spec, factor) {
    var slack = Math.max(spec.atol + spec.rtol * Math.abs(target), halfUnit(target, spec.digits));
    return Math.abs(x - target) <= (factor || 1) * slack;
  }

  var EXACT = 1e-3; // how far a number may be from a known wrong one and be meant

  function asTyped(x, digits) { return digits > 0 && Number(x.toPrecision(digits)) === x; }

  // Whether x is what a known mistake gives: near it, or rounded; no round number that lies near.
  function meant(x, target, spec, rtol) {
    if (Math.abs(x - target) <= spec.atol + Math.min(rtol, spec.rtol) * Math.abs(target)) return true;
    var half = Math.min(halfUnit(x, spec.digits), halfUnit(target, spec.digits));
    return asTyped(x, spec.digits) && Math.abs(x - target) <= half;
  }

  // A guess may be given with two digits.
  function guessed(spec, x) {
    return spec.wrong.find(function (w) {
      return [2, 3].some(function (n) { return meant(x, w.value, Object.assign({}, spec, { digits: n }), EXACT); });
    });
  }

  // What to say of a number that is right, but rounded to one or two digits.
  function coarse(x, target, spec, place) {
    var digits = [1, 2].find(function (d) {
      var near = Math.abs(x - target) <= Math.min(halfUnit(target, d), 0.1 * Math.abs(target));
      return near && d < spec.digits && asTyped(x, d);
    });
    return digits ? say((place || "") + "coarse",
      { a: digits === 1 ? "one digit" : "two digits", b: count(spec.digits) }) : "";
  }

  function knownNumber(spec, x, rtol) {
    return spec.wrong.find(function (w) { return meant(x, w.value, spec, rtol); });
  }

  function judgeNumber(spec, text) {
    var x = parseNumber(text), value = spec.value, key;
    if (close(x, value, spec)) return right();
    var known = knownNumber(spec, x, EXACT);
    if (known) return wrong(known.say);
    var rough = close(x, value, spec, 5) ? "" : coarse(x, value, spec);
    if (rough) return wrong(rough);
    known = asTyped(x, 2) ? null : knownNumber(spec, x, spec.rtol); // of a draw, or rounded steps
    if (known) return wrong(known.say);
    if (close(-x, value, spec)) key = "sign";
    else if (close(x, value, spec, 5)) key = "near";
    else if ((text.indexOf("%") >= 0 || Math.abs(value) <= 1) && // what is no share is seldom given per cent
      (close(x, 100 * value, spec) || close(100 * x, value, spec))) key = "percent";
    else if (x <= 0 && value > 0) key = "positive";
    else if (x >= 0 && value < 0) key = "negative";
    else if (Math.abs(x) > Math.abs(value)) {
      key = value !== 0 && Math.abs(x) > 10 * Math.abs(value) ? "larger" : "large";
    } else key = 10 * Math.abs(x) < Math.abs(value) ? "smaller" : "small";
    return wrong(withHint(SAY[key]));
  }

  function same(a, b, spec) {
    return a.length === b.length && a.every(function (x, i) { return close(x, b[i], spec); });
  }
  var sorted = function (a) { return a.slice().sort(function (x, y) { return x - y; }); };
  var shapeText = function (s) { return s.length === 1 ? "(" + s[0] + ",)" : "(" + s.join(", ") + ")"; };

  // The second number of a list is "2", in a matrix "[0, 1]".
  function indexText(position, shape) {
    if (shape.length === 1) return String(position + 1);
    var index = [];
    for (var k = shape.length - 1; k >= 0; k -= 1) {
      index.unshift(position % shape[k]);
      position = Math.floor(position / shape[k]);
    }
    return "[" + index.join(", ") + "]";
  }

  function isTransposed(grid, spec) {
    if (spec.shape.length !== 2 || String(grid.shape) !== String(spec.shape.slice().reverse())) return false;
    var rows = spec.shape[0], columns = spec.shape[1], turned = [];
    for (var j = 0; j < columns; j += 1) {
      for (var i = 0; i < rows; i += 1) turned.push(spec.values[i * columns + j]);
    }
    return same(grid.values, turned, spec);
  }

  function rowSum(grid) {
    var width = grid.shape[grid.shape.length - 1];
    for (var row = 0; row * width < grid.values.length; row += 1) {
      var total = 0;
      for (var i = 0; i < width; i += 1) total += grid.values[row * width + i];
      if (Math.abs(total - 1) > 0.02) {
        return grid.shape.length === 1 ? say("sum", { a: four(total) })
          : say("rowsum", { i: row, a: four(total) });
      }
    }
    return "";
  }

  function count(n) { return SAY.counts.split(" ")[n] || String(n); }

  function shapeLine(grid, spec) {
    if (spec.shape.length !== 1 || grid.shape.length > 1) {
      return say("shape", { a: shapeText(spec.shape), b: shapeText(grid.shape) });
    }
    var asked = spec.shape[0], given = grid.values.length;
    var a = count(asked) + " number" + (asked === 1 ? " is" : "s are");
    var b = given ? "yours " + (given === 1 ? "is " : "are ") + count(given) : "yours is empty";
    return say("count", { a: a[0].toUpperCase() + a.slice(1), b: b });
  }

  function firstOff(grid, spec, factor) {
    return grid.values.findIndex(function (x, k) { return !close(x, spec.values[k], spec, factor); });
  }

  // What all entries have in common that are wrong alike.
  function relation(grid, spec) {
    var got = grid.values, value = spec.values, n = value.length;
    var times = function (c) { return got.map(function (x) { return x * c; }); };
    if (n > 1 && same(times(-1), value, spec)) return "negated";
    if (n > 1 && same(got.map(function (x) { return x / 100; }), value, spec)) return "percents";
    for (var places = n > 2 ? 1 : 2; places < spec.digits; places += 1) {
      var unit = Math.pow(10, -places);
      if (got.every(function (x, i) {
        return Math.abs(x / unit - Math.round(x / unit)) < 1e-6 &&
          Math.abs(x - value[i]) <= 0.5 * unit * (1 + 1e-9);
      })) return "early";
    }
    var sizes = new Set(value.filter(Boolean).map(Math.abs));
    var total = function (a) { return a.reduce(function (sum, x) { return sum + Math.abs(x); }, 0); };
    var factor = sizes.size > 1 ? total(got) / total(value) : 0;
    return factor > 0 && same(got.map(function (x) { return x / factor; }), value, spec) ? "factor" : "";
  }

  function judgeArray(spec, text) {
    var grid = parseArray(text, spec.shape.length === 1 ? spec.values.length : 0);
    var one = spec.shape.length === 1, n = spec.values.length;
    if (one && (String(grid.shape) === "1," + n || String(grid.shape) === n + ",1")) grid.shape = [n];
    var shape = String(grid.shape);
    if (shape === String(spec.shape) && same(grid.values, spec.values, spec)) return right();
    var known = null;
    [EXACT, spec.rtol].forEach(function (rtol) {
      known = known || spec.wrong.find(function (w) {
        return shape === String(w.shape) &&
          grid.values.every(function (x, i) { return meant(x, w.values[i], spec, rtol); });
      });
    });
    if (known) return wrong(known.say);
    if (isTransposed(grid, spec)) return wrong(SAY.transposed);
    if (shape !== String(spec.shape)) {
      var more = exercises.hasDecimalComma(text) && grid.values.length > spec.values.length;
      return wrong(shapeLine(grid, spec) + (more ? " " + SAY.point : ""));
    }
    if (same(sorted(grid.values), sorted(spec.values), spec)) return wrong(withHint(SAY.shuffled));
    var at = firstOff(grid, spec, 5);
    if (at < 0) { // nothing is far off
      at = firstOff(grid, spec, 1);
      return wrong(withHint(say(one ? "numbernear" : "entrynear", { i: indexText(at, spec.shape) })));
    }
    var key = relation(grid, spec), line = key ? say(key, { b: count(spec.digits) }) : "";
    if (line) return wrong(key === "factor" ? withHint(line) : line);
    line = spec.sums ? rowSum(grid) : "";
    if (line) return wrong(line);
    var rough = grid.values.map(function (x, k) {
      return close(x, spec.values[k], spec, 5) ? "near" : coarse(x, spec.values[k], spec, one ? "number" : "entry");
    });
    if (rough.indexOf("") >= 0) at = rough.indexOf("");
    if (rough[at]) return wrong(rough[at].split("{i}").join(indexText(at, spec.shape)));
    var off = grid.values.filter(function (x, k) { return !close(x, spec.values[k], spec); });
    return wrong(withHint(say((off.length === 1 && n > 1 ? "only" : "") + (one ? "number" : "entry"),
      { i: indexText(at, spec.shape), a: four(grid.values[at]) })));
  }

  function judgeChoice(spec, letter) {
    if (!letter) return blank();
    if (letter === spec.right) return right();
    var known = spec.wrong.find(function (w) { return w.letter === letter; });
    return wrong(known ? known.say : say("letters", { a: spec.letters.join(", ") }));
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
    return wrong(withHint(at === 0 ? say("notfirst", { a: letters[0] })
      : say("notnext", { a: letters[at - 1], b: letters[at] })));
  }

  var guess = function (message) { return { passed: true, message: message, blank: false, guess: true }; };

  function guessNumber(spec, text) {
    var x = parseNumber(text), value = spec.value, a = four(value), line;
    if (close(x, value, spec)) return guess(say("guesshit", { a: a }));
    if (x * value <= 0) line = say("guessfar", { a: a, b: four(x) });
    else if (1 / spec.near <= x / value && x / value <= spec.near) line = say("guessclose", { a: a, b: four(x) });
    else if (Math.abs(x) > Math.abs(value)) line = say("guesslarge", { a: a, b: four(x / value) });
    else line = say("guesssmall", { a: a, b: four(value / x) });
    var known = guessed(spec, x);
    return guess(known ? line + " " + known.say : line);
  }

  function guessChoice(spec, letter) {
    if (!letter) return blank();
    if (letter === spec.right) return guess(SAY.guessright);
    var known = spec.wrong.find(function (w) { return w.letter === letter; });
    return guess(say("guessmiss", { a: spec.right, b: spec.text }) + " " + known.say);
  }

  // A trial that was run while the page was made, at the nearest number.
  function judgeTrial(spec, text) {
    var x = parseNumber(text), table = spec.table, far = function (row) { return Math.abs(Math.log(x / row[0])); };
    if (x <= 0) return wrong(SAY.trialpositive);
    if (x < table[0][0] * 0.999 || x > table[table.length - 1][0] * 1.001) {
      return wrong(say("trialend", { a: four(table[0][0]), b: four(table[table.length - 1][0]) }));
    }
    var row = table.reduce(function (best, next) { return far(next) < far(best) ? next : best; });
    var line = row[1] ? SAY.right + " " + row[2] : row[2];
    if (far(row) > 1e-3) line += " " + say("trialnear", { a: four(row[0]) });
    var known = row[1] ? null : knownNumber(spec, x, EXACT);
    if (known) line += " " + known.say;
    return row[1] ? { passed: true, message: line, blank: false } : wrong(line);
  }

  var JUDGES = { number: judgeNumber, array: judgeArray, choice: judgeChoice, order: judgeOrder };

  function judge(spec, answer) {
    try {
      var way = spec.table ? judgeTrial : !spec.guess ? JUDGES[spec.kind]
        : spec.kind === "choice" ? guessChoice : guessNumber;
      var reply = way(spec, answer);
      if (reply.passed && spec.praise) reply.message += " " + spec.praise;
      if (reply.message.endsWith(SAY.hint)) reply.message = reply.message.slice(0, -SAY.hint.length) + spec.step;
      return reply;
    } catch (error) {
      if (!(error instanceof exercises.NotANumber)) throw error;
      return Object.assign(error.line === SAY.blank ? blank() : wrong(error.line), { unread: true });
    }
  }

  exercises.judge = judge;
  exercises.four = four;
})(window.whySqrtDExercises = window.whySqrtDExercises || {});
