/* The exercises of the static page: reads an answer, judges it, remembers what is solved.
 *
 * A classic script without dependencies; it works from file:// and sends nothing anywhere.
 * The grammar, the sentences and the judging mirror attn_helpers/exercises (grammar.py,
 * arrays.py, messages.py, kinds/); tests/exercises holds the two sides together. */
(function () {
  "use strict";

  var SAY = {
    "right": "Right.",
    "blank": "No answer yet.",
    "hint": "The first hint may help.",
    "long": "That is longer than an answer needs to be: a number or a short expression will do.",
    "deep": "There are too many brackets or signs inside one another.",
    "ambiguous": "“{text}” can be read two ways, as {a} or as {b}: write one of these two.",
    "commas": "The commas can be read two ways: write decimals with a point, as in 1.5 2.5.",
    "slash": "A product without a sign after / can be read two ways: add brackets.",
    "log": "“log” can be read two ways: write ln, log2 or log10.",
    "numeral": "“{text}” is not a number: use digits and one decimal point.",
    "side": "Two numbers stand side by side: put a sign between them, or leave out the space.",
    "word": "“{text}” is not understood. Numbers, + - * / ^, brackets, sqrt, exp, ln, log2, log10, pi and e are.",
    "char": "“{text}” is not understood at that place.",
    "unfinished": "That stops in the middle: something is missing at the end.",
    "bracket": "The brackets do not match.",
    "zero": "That divides by zero.",
    "real": "That is not a real number: look at the root, the power or the logarithm.",
    "huge": "That is too large to be computed as an ordinary number.",
    "nan": "nan means “not a number”: somewhere 0/0 or inf - inf was computed.",
    "inf": "The answer is finite, and yours is infinite.",
    "complex": "The answer is a real number, and yours is complex.",
    "ragged": "The rows have different lengths: {a} and {b}.",
    "sign": "The size is right; the sign is not.",
    "percent": "That is off by a factor of 100: is one of the two in per cent?",
    "near": "That is close: keep more digits, or look for a small slip.",
    "positive": "The answer is positive.",
    "negative": "The answer is negative.",
    "large": "Too large.",
    "larger": "Too large, by more than a factor of ten.",
    "small": "Too small.",
    "smaller": "Too small, by more than a factor of ten.",
    "shape": "The shape should be {a}; yours is {b}.",
    "transposed": "These are the right numbers with rows and columns exchanged.",
    "shuffled": "These are the right numbers in another order.",
    "sum": "Each row should sum to 1; yours sums to {a}.",
    "rowsum": "Each row should sum to 1; row {i} of yours sums to {a}.",
    "entry": "The first entry that differs is at index {i}, where yours is {a}.",
    "entrynan": "The entry at index {i} is nan, “not a number”.",
    "entryinf": "The entry at index {i} is infinite.",
    "letters": "Answer with one of the letters {a}.",
    "once": "Use each of the letters {a} once: {b} is missing.",
    "twice": "Use each of the letters {a} once: {b} is there twice.",
    "stranger": "Use each of the letters {a} once: {b} is not one of them.",
    "needs": "Step {a} needs step {b} before it: {c}",
    "notfirst": "Step {a} does not come first.",
    "notnext": "The order holds up to step {a}; step {b} does not come next."
  };

  function say(key, fields) {
    var text = SAY[key];
    Object.keys(fields || {}).forEach(function (name) {
      text = text.split("{" + name + "}").join(String(fields[name]));
    });
    return text;
  }
  var withHint = function (sentence) { return sentence + " " + SAY.hint; };

  // ------------------------------------------------------------------ numbers as text

  var MAX_NUMBER = 200, MAX_DEPTH = 40, MAX_TEXT = 4000, MAX_ENTRIES = 1000;
  var SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  var BLANKS = /[\t\n\r\f\v\u00a0\u2002-\u200a\u202f]/g;

  function NotANumber(key, fields) { this.line = say(key, fields); }
  function fail(key, fields) { throw new NotANumber(key, fields); }

  function finite(x) {
    if (Number.isNaN(x)) fail("real");
    if (!Number.isFinite(x)) fail("huge");
    return x;
  }

  function plain(text) {
    return text.replace(/[−–—﹣－]/g, "-").replace(/[×·⋅∙∗•]/g, "*").replace(/[÷⁄∕]/g, "/")
      .replace(BLANKS, " ").replace(/π/g, " pi ").replace(/√/g, " sqrt ").replace(/∞/g, " inf ");
  }

  function shown(c) {
    var code = c.codePointAt(0);
    var readable = (code >= 33 && code <= 126) || (code >= 0xa1 && code < 0x2000) ||
      (code >= 0x2190 && code < 0x2c00);
    return readable ? c : "U+" + code.toString(16).toUpperCase().padStart(4, "0");
  }

  function numeral(text) {
    var parts = text.replace("E", "e").split("e");
    var body = parts[0], tail = parts.length > 1 ? "e" + parts[1] : "";
    var commas = body.split(",").length - 1, dots = body.split(".").length - 1;
    if (commas === 1 && !dots && /^[1-9][0-9]{0,2},[0-9]{3}$/.test(body)) {
      fail("ambiguous", { text: text, a: body.replace(",", ".") + tail, b: body.replace(",", "") + tail });
    }
    if (commas === 0 && dots <= 1) { /* as it stands */
    } else if (commas === 1 && dots === 0 && /^[0-9]*,[0-9]+$/.test(body)) {
      body = body.replace(",", ".");
    } else if (/^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?$/.test(body)) {
      body = body.replace(/,/g, "");
    } else if (/^[0-9]{1,3}(\.[0-9]{3})+(,[0-9]+)?$/.test(body)) {
      body = body.replace(/\./g, "").replace(",", ".");
    } else {
      fail("numeral", { text: text });
    }
    return finite(Number(body + tail));
  }

  function tokens(text) {
    var found = [], at = 0, match;
    var number = /[0-9.,]*[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?/y;
    var word = /(?:(?:np|numpy|math)\.)?(log10|log2|[a-z]+)/iy;
    var power = /⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+/y;
    function next(pattern) { pattern.lastIndex = at; match = pattern.exec(text); return match; }
    text = plain(text).split("**").join("^");
    while (at < text.length) {
      if (text[at] === " ") {
        at += 1;
      } else if (next(number)) {
        found.push({ kind: "number", text: match[0], value: numeral(match[0]) });
        at += match[0].length;
      } else if (next(word)) {
        var name = match[1].toLowerCase();
        found.push(name === "x" ? { kind: "sign", text: "*" } : { kind: "word", text: name });
        at += match[0].length;
      } else if (next(power)) {
        var digits = Array.from(match[0].replace("⁻", ""), function (c) { return SUPERSCRIPTS.indexOf(c); });
        found.push({ kind: "power", text: match[0],
          value: Number((match[0][0] === "⁻" ? "-" : "") + digits.join("")) });
        at += match[0].length;
      } else if ("+-*/^()%".indexOf(text[at]) >= 0) {
        found.push({ kind: "sign", text: text[at] });
        at += 1;
      } else {
        fail("char", { text: shown(String.fromCodePoint(text.codePointAt(at))) });
      }
    }
    return found;
  }

  function raise(a, b) {
    if (a === 0 && b < 0) fail("zero");
    return finite(Math.pow(a, b));
  }

  var positive = function (f) { return function (x) { return x > 0 ? f(x) : NaN; }; };
  var CONSTANTS = { pi: Math.PI, e: Math.E };
  var FUNCTIONS = { sqrt: Math.sqrt, exp: Math.exp, ln: positive(Math.log),
    log2: positive(Math.log2), log10: positive(Math.log10) };
  var KNOWN = { log: "log", inf: "inf", infinity: "inf", nan: "nan", i: "complex", j: "complex" };
  var has = function (table, key) { return Object.prototype.hasOwnProperty.call(table, key); };

  function parseNumber(text) {
    if (Array.from(text).length > MAX_NUMBER) fail("long");
    text = plain(text).replace(/^ +| +$/g, "").replace(/^[=≈~] */, "");
    var found = tokens(text), at = 0, depth = 0;
    if (!found.length) fail("blank");

    function peek() { return at < found.length ? found[at] : { kind: "end", text: "" }; }
    function takes(signs) {
      var t = peek();
      if (t.kind === "sign" && signs.indexOf(t.text) >= 0) { at += 1; return t.text; }
      return "";
    }
    function deeper() { depth += 1; if (depth > MAX_DEPTH) fail("deep"); }
    function stray() { if (peek().text === ")") fail("bracket"); fail("char", { text: peek().text }); }
    function sum() {
      var total = product(), sign, term;
      while ((sign = takes("+-"))) {
        term = product();
        total = finite(sign === "+" ? total + term : total - term);
      }
      return total;
    }
    function times(a, sign, b) {
      if (sign === "/" && b === 0) fail("zero");
      return finite(sign === "*" ? a * b : a / b);
    }
    function product() {
      var total = signed(), last = "", sign;
      for (;;) {
        var t = peek();
        if (t.kind === "number") fail("side");
        if ((sign = takes("*/"))) {
          total = times(total, sign, signed());
          last = sign;
        } else if (t.kind === "word" || t.text === "(") {
          if (last === "/") fail("slash");
          total = times(total, "*", powered());
        } else {
          return total;
        }
      }
    }
    function signed() {
      deeper();
      var sign = takes("+-"), value = sign ? signed() : powered();
      depth -= 1;
      return sign === "-" ? -value : value;
    }
    function powered() {
      var base = postfix();
      return takes("^") ? raise(base, signed()) : base;
    }
    function postfix() {
      var value = atom();
      for (;;) {
        if (peek().kind === "power") {
          value = raise(value, found[at++].value);
        } else if (takes("%")) {
          value = value / 100;
        } else {
          return value;
        }
      }
    }
    function atom() {
      var t = peek();
      if (t.kind === "end") fail("unfinished");
      at += 1;
      if (t.kind === "number") return t.value;
      if (t.kind === "word") return named(t.text);
      if (t.text === "(") return closed();
      if (t.text === ")") fail("bracket");
      return fail("char", { text: t.text });
    }
    function closed() {
      var value = sum();
      if (!takes(")")) { if (peek().kind === "end") fail("bracket"); stray(); }
      return value;
    }
    function named(name) {
      if (has(CONSTANTS, name)) return CONSTANTS[name];
      if (has(FUNCTIONS, name)) {
        deeper();
        var value = takes("(") ? closed() : powered();
        depth -= 1;
        return finite(FUNCTIONS[name](value));
      }
      return has(KNOWN, name) ? fail(KNOWN[name]) : fail("word", { text: name });
    }

    var value = sum();
    if (at < found.length) stray();
    return value;
  }

  // ------------------------------------------------------------------- arrays as text

  function pieces(text) {
    var found = [], current = "", depth = 0;
    Array.from(text).forEach(function (c) {
      depth += (c === "(") - (c === ")");
      if (depth <= 0 && " ,;\n[]".indexOf(c) >= 0) {
        if (current) found.push(current);
        if (c === "\n") found.push(";"); else if (";[]".indexOf(c) >= 0) found.push(c);
        current = "";
      } else {
        current += c;
      }
    });
    return current ? found.concat([current]) : found;
  }

  function stack(rows) {
    rows.forEach(function (row) {
      if (String(row.shape) !== String(rows[0].shape)) {
        fail("ragged", { a: rows[0].shape.length ? rows[0].shape[0] : 1, b: row.shape.length ? row.shape[0] : 1 });
      }
    });
    var values = [].concat.apply([], rows.map(function (row) { return row.values; }));
    return { shape: [rows.length].concat(rows.length ? rows[0].shape : []), values: values };
  }

  var single = function (item) { return { shape: [], values: [parseNumber(item)] }; };

  function bracketed(items, at, depth) {
    if (depth > 5) fail("deep");
    var rows = [];
    at += 1;
    while (at < items.length && items[at] !== "]") {
      if (items[at] === "[") {
        var inner = bracketed(items, at, depth + 1);
        rows.push(inner.grid);
        at = inner.at;
      } else {
        if (items[at] !== ";") rows.push(single(items[at]));
        at += 1;
      }
    }
    if (at >= items.length) fail("bracket");
    return { grid: stack(rows), at: at + 1 };
  }

  function unbracketed(items) {
    var rows = [[]];
    items.forEach(function (item) {
      if (item === ";") rows.push([]);
      else if (item === "]") fail("bracket");
      else rows[rows.length - 1].push(single(item));
    });
    rows = rows.filter(function (row) { return row.length; });
    if (rows.every(function (row) { return row.length === 1; })) {
      return stack(rows.map(function (row) { return row[0]; }));
    }
    return rows.length === 1 ? stack(rows[0]) : stack(rows.map(stack));
  }

  function unwrapped(text) {
    var call = /^(?:(?:np|numpy)\.)?array\(([^]*)\)$/.exec(text);
    if (call) return call[1].replace(/^[ \n]+|[ \n]+$/g, "");
    var depth = 0;
    for (var i = 0; i < text.length; i += 1) {
      depth += (text[i] === "(") - (text[i] === ")");
      if (depth === 0) {
        return text[0] === "(" && i === text.length - 1
          ? text.slice(1, -1).replace(/^[ \n]+|[ \n]+$/g, "") : text;
      }
    }
    return text;
  }

  function parseArray(text) {
    if (Array.from(text).length > MAX_TEXT) fail("long");
    text = text.replace(/[\t\r\f\v\u00a0\u2009\u202f]/g, " ").replace(/^[ \n]+|[ \n]+$/g, "");
    text = unwrapped(text);
    var items = pieces(text);
    if (!items.length) fail("blank");
    if (items.length > MAX_ENTRIES) fail("long");
    var words = text.split(/[ ;\n]+/).filter(Boolean);
    if (words.length > 1 && words.every(function (w) { return /^[-−+]?[0-9]+,[0-9]+$/.test(w); })) {
      fail("commas");
    }
    if (items[0] !== "[") {
      if (items.indexOf("[") >= 0) fail("bracket");
      return unbracketed(items);
    }
    var read = bracketed(items, 0, 1);
    if (read.at < items.length) fail("bracket");
    return read.grid;
  }

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

  function close(x, target, spec, factor) {
    var f = factor || 1;
    return Math.abs(x - target) <= f * spec.atol + f * spec.rtol * Math.abs(target);
  }

  function judgeNumber(spec, text) {
    var x = parseNumber(text), value = spec.value, key;
    if (close(x, value, spec)) return right();
    for (var i = 0; i < spec.wrong.length; i += 1) {
      if (close(x, spec.wrong[i].value, spec)) return wrong(spec.wrong[i].say);
    }
    if (close(-x, value, spec)) key = "sign";
    else if (close(x, value, spec, 5)) key = "near";
    else if (close(x, 100 * value, spec) || close(100 * x, value, spec)) key = "percent";
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

  function indexText(position, shape) {
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

  function judgeArray(spec, text) {
    var grid = parseArray(text), shape = String(grid.shape);
    if (shape === String(spec.shape) && same(grid.values, spec.values, spec)) return right();
    for (var i = 0; i < spec.wrong.length; i += 1) {
      var known = spec.wrong[i];
      if (shape === String(known.shape) && same(grid.values, known.values, spec)) return wrong(known.say);
    }
    if (isTransposed(grid, spec)) return wrong(SAY.transposed);
    if (shape !== String(spec.shape)) {
      return wrong(say("shape", { a: shapeText(spec.shape), b: shapeText(grid.shape) }));
    }
    if (same(sorted(grid.values), sorted(spec.values), spec)) return wrong(withHint(SAY.shuffled));
    var line = spec.sums ? rowSum(grid) : "";
    if (line) return wrong(line);
    var at = grid.values.findIndex(function (x, k) { return !close(x, spec.values[k], spec); });
    return wrong(withHint(say("entry", { i: indexText(at, spec.shape), a: four(grid.values[at]) })));
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

  var JUDGES = { number: judgeNumber, array: judgeArray, choice: judgeChoice, order: judgeOrder };

  function judge(spec, answer) {
    try {
      var reply = JUDGES[spec.kind](spec, answer);
      if (reply.passed && spec.praise) reply.message += " " + spec.praise;
      return reply;
    } catch (error) {
      if (!(error instanceof NotANumber)) throw error;
      return error.line === SAY.blank ? blank() : wrong(error.line);
    }
  }

  // ------------------------------------------------------------------------- progress

  var KEY = "why-sqrt-d.exercises", memory = {};

  function solved() {
    try {
      var read = JSON.parse(window.localStorage.getItem(KEY) || "{}");
      return read && typeof read === "object" && !Array.isArray(read) ? read : {};
    } catch (error) {
      return memory; // storage denied, or not ours to read: remember until the page is left
    }
  }

  function remember(record) {
    memory = record;
    try {
      window.localStorage.setItem(KEY, JSON.stringify(record));
    } catch (error) { /* denied: `memory` has it */ }
    refresh();
  }

  function each(selector, root, action) {
    Array.prototype.forEach.call((root || document).querySelectorAll(selector), action);
  }

  function refresh() {
    var record = solved();
    each(".exercise-box", null, function (box) {
      var mark = box.querySelector(".exercise-solved");
      if (mark) mark.textContent = record[box.dataset.exercise] ? "Solved ✓" : "";
    });
    each(".exercise-progress", null, function (line) {
      var ids = (line.dataset.exercises || "").split(" ").filter(Boolean);
      var count = ids.filter(function (id) { return record[id]; }).length;
      var text = "You have solved " + count + " of " + ids.length + " exercises.";
      var status = line.querySelector("[role=status]");
      if (status.textContent.indexOf(text) < 0) status.textContent = text;
      // Not `disabled`: that would throw the keyboard focus away at the moment of clearing.
      line.querySelector("button").setAttribute("aria-disabled", String(count === 0));
      line.hidden = ids.length === 0;
    });
  }

  function setUpProgress(line) {
    line.querySelector("button").addEventListener("click", function () {
      var record = solved();
      line.dataset.exercises.split(" ").forEach(function (id) { delete record[id]; });
      remember(record);
      var status = line.querySelector("[role=status]");
      status.textContent = "Cleared. " + status.textContent;
    });
  }

  // ---------------------------------------------------------------------------- forms

  function answerOf(form, spec) {
    if (spec.kind === "choice") {
      var chosen = form.querySelector("input:checked");
      return chosen ? chosen.value : "";
    }
    if (spec.kind === "order") {
      var letters = "";
      each(".exercise-step", form, function (step) { letters += step.dataset.letter; });
      return letters;
    }
    return form.querySelector("input[name=answer]").value;
  }

  function setUpOrder(form, status) {
    each("button[data-move]", form, function (button) {
      button.addEventListener("click", function () {
        var step = button.closest(".exercise-step"), list = step.parentNode;
        var up = button.dataset.move === "-1";
        var other = up ? step.previousElementSibling : step.nextElementSibling;
        if (other) list.insertBefore(up ? step : other, up ? other : step);
        button.focus(); // moving the step took the focus away
        var place = Array.prototype.indexOf.call(list.children, step) + 1;
        status.textContent = "Step " + step.dataset.letter + (other ? " is now " : " stays ") +
          "number " + place + " of " + list.children.length + ".";
        status.removeAttribute("data-verdict");
      });
    });
  }

  function showHint(box, status) {
    var closed = "details.exercise-hint[data-exercise=\"" + box.dataset.exercise + "\"]:not([open])";
    var next = document.querySelector(closed);
    if (!next) {
      status.textContent = "All hints are open below.";
      return;
    }
    next.open = true;
    status.textContent = next.querySelector("summary").textContent + " is open below.";
    status.removeAttribute("data-verdict");
  }

  function setUp(box) {
    var form = box.querySelector("form");
    var spec = JSON.parse(form.querySelector("script[type='application/json']").textContent);
    var status = form.querySelector(".exercise-status"), more = form.querySelector(".exercise-more");
    form.hidden = false;
    // JupyterLab takes arrow keys and Enter away from outputs unless they stop here.
    box.addEventListener("keydown", function (event) { event.stopPropagation(); });
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      var reply = judge(spec, answerOf(form, spec));
      status.textContent = (reply.passed ? "✓ " : reply.blank ? "· " : "✗ ") + reply.message;
      status.dataset.verdict = reply.passed ? "right" : reply.blank ? "blank" : "wrong";
      if (reply.passed) {
        var record = solved();
        record[box.dataset.exercise] = new Date().toISOString().slice(0, 10);
        remember(record);
      }
    });
    more.hidden = !document.querySelector("details.exercise-hint[data-exercise=\"" + box.dataset.exercise + "\"]");
    more.addEventListener("click", function () { showHint(box, status); });
    if (spec.kind === "order") setUpOrder(form, status);
  }

  function start() {
    each(".exercise-box", null, setUp);
    each(".exercise-progress", null, setUpProgress);
    refresh();
    window.addEventListener("storage", function (event) {
      if (event.key === KEY || event.key === null) refresh();
    });
  }

  window.whySqrtDExercises = { SAY: SAY, judge: judge, four: four, NotANumber: NotANumber,
    parseNumber: parseNumber, parseArray: parseArray };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
