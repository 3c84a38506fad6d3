/* Reads a number or an array that was typed as text; tests/course/exercises/grammar_cases.json
 * has what it takes. (In a notebook Python reads Python.)
 *
 * The scripts of the exercises are classic ones without dependencies: they work from file:// and
 * send nothing anywhere. Loaded in this order: sentences (written from the package when the site
 * is built), grammar, judging, progress, forms. */
(function (exercises) {
  "use strict";

  var SAY = exercises.SAY;

  function say(key, fields) {
    var text = SAY[key];
    Object.keys(fields || {}).forEach(function (name) {
      text = text.split("{" + name + "}").join(String(fields[name]));
    });
    return text;
  }

  Object.assign(SAY, {
    long: "That is longer than an answer needs to be: a number or a short expression will do.",
    deep: "There are too many brackets or signs inside one another.",
    ambiguous: "“{text}” can be read two ways, as {a} or as {b}: write one of these two.",
    commas: "The commas can be read two ways: write decimals with a point, as in 1.5 2.5.",
    slash: "A product without a sign after / can be read two ways: add brackets.",
    root: "“^1/” can be read two ways: put the exponent in brackets, as in 2^(1/2).",
    sides: "The two sides of the equals sign are not equal.",
    only: "Write only the numbers, with blanks or commas between them.",
    masked: "“--” stands for a masked entry, which has no value: fill it in.",
    log: "“log” can be read two ways: write ln, log2 or log10.",
    numeral: "“{text}” is not a number: use digits and one decimal point.",
    side: "Two numbers stand side by side: put a sign between them, or leave out the space.",
    word: "“{text}” is not understood. Numbers, + - * / ^, brackets, sqrt, exp, ln, log2, " +
      "log10, tanh, pi and e are.",
    letter: "“{text}” stands for a number here: write that number in its place.",
    digits: "Write “{text}” in digits.",
    range: "A range is not read: choose one number, or put a comma between two.",
    char: "“{text}” is not understood at that place.",
    unfinished: "That stops in the middle: something is missing at the end.",
    bracket: "The brackets do not match.",
    zero: "That divides by zero.",
    real: "That is not a real number: look at the root, the power or the logarithm.",
    huge: "That is too large to be computed as an ordinary number.",
    nan: "nan means “not a number”: somewhere 0/0 or inf - inf was computed.",
    inf: "The answer is finite, and yours is infinite.",
    complex: "The answer is a real number, and yours is complex.",
    ragged: "The rows have different lengths: {a} and {b}."
  });

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

  // How numbers come from TeX and from what Python prints.
  var DRESS = [
    [/^ *\$+|\$+[ \n]*$|\\(?:left|right|[,;:!()[\] ])/g, ""],
    [/\\[td]?frac *([0-9])([0-9])/g, "($1/$2)"]
  ].concat([0, 1, 2].flatMap(function () {
    return [
      [/\\sqrt *\{([^{}]*)\}/g, " sqrt($1)"],
      [/\\[td]?frac *\{([^{}]*)\} *\{([^{}]*)\}/g, "(($1)/($2))"],
      [/\^ *\{([^{}]*)\}/g, "^($1)"]
    ];
  }), [
    [/\\(?:cdot|times)/g, "*"],
    [/\\approx/g, "≈"],
    [/\\%/g, "%"],
    [/\\([A-Za-z]+)/g, " $1 "],
    [/(?:np|numpy)[.](?:float|int)[0-9]+(?=\()/g, ""],
    [/ *(?:percent|per cent)(?![A-Za-z])/g, "%"],
    [/(?:(?:[Tt]he )?[Ss]quare )?\b[Rr]oot(?: of)? *(?=[0-9(])/g, " sqrt "],
    [/([0-9)]) *(?:×|-?fold)[ \n]*$/g, "$1"],
    [/([0-9])(?:…|[.]{3})(?![0-9.])/g, "$1"],
    [/([0-9][.][0-9]+)[.][ \n]*$/g, "$1"]
  ]);
  var VULGAR = { "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5",
    "⅗": "3/5", "⅘": "4/5", "⅙": "1/6", "⅚": "5/6", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8" };

  function undressed(text) {
    DRESS.forEach(function (rule) { text = text.replace(rule[0], rule[1]); });
    Object.keys(VULGAR).forEach(function (sign) {
      text = text.replace(new RegExp("([0-9])" + sign, "g"), "($1+" + VULGAR[sign] + ")")
        .split(sign).join("(" + VULGAR[sign] + ")");
    });
    return text;
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
    var word = /(?:(np|jnp|numpy|math|torch)\.)?(log10|log2|[a-z]+)/iy;
    var power = /⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+/y;
    function next(pattern) { pattern.lastIndex = at; match = pattern.exec(text); return match; }
    text = text.split("**").join("^");
    while (at < text.length) {
      if (text[at] === " ") {
        at += 1;
      } else if (next(number)) {
        found.push({ kind: "number", text: match[0], value: numeral(match[0]) });
        at += match[0].length;
      } else if (next(word)) {
        var name = match[2].toLowerCase();
        if (match[1] && name === "log") name = "ln";
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
    log2: positive(Math.log2), log10: positive(Math.log10), tanh: Math.tanh };
  var KNOWN = { log: "log", inf: "inf", infinity: "inf", nan: "nan", i: "complex", j: "complex" };
  var REFUSED = Object.assign({ to: "range", between: "range", or: "range" }, KNOWN);
  SAY.counts.split(" ").slice(1).concat(["half", "third", "quarter", "hundred", "thousand", "million",
    "billion"]).forEach(function (word) { REFUSED[word] = "digits"; });
  ["alpha", "beta", "rho", "sigma"].concat(Array.from("abcdfghklmnopqrstuvwyz"))
    .forEach(function (letter) { REFUSED[letter] = "letter"; });
  var has = function (table, key) { return Object.prototype.hasOwnProperty.call(table, key); };

  // What may stand before a number, "x =", "d' ≈", "=", "about"; a number whose digits stand in
  // threes; one with a unit.
  var LEAD = new RegExp("^ *(?:[A-Za-zΑ-Ωα-ω][A-Za-z0-9_₀-₉]*'? *[=≈]|[=≈~]" +
    "|(?:(?:about|around|roughly|approx[.]?|ca[.]?|divided|by|times|it|is|an?|the|factor|of) +)+) *");
  var GROUPS = /^[+-]? ?[1-9][0-9]{0,2}(?: [0-9]{3})+(?:[.,][0-9]+)?$/;
  var UNIT = /^(.*[0-9.)%⁰¹²³⁴⁵⁶⁷⁸⁹]) +([A-Za-z]{2,}(?: [A-Za-z]+)*)$/;
  var NO_UNIT = Object.keys(KNOWN).concat(Object.keys(CONSTANTS), Object.keys(FUNCTIONS),
    ["hundred", "thousand", "million", "billion"]);
  var READABLE = NO_UNIT.concat(["np", "jnp", "numpy", "math", "torch"]);

  function stripped(text) { return text.replace(/^ +| +$/g, ""); }

  // Without a unit, the sign in ×5 or 5x, and blanks between groups of digits.
  function bare(text) {
    var unit = UNIT.exec(text);
    if (unit && !unit[2].toLowerCase().split(" ").some(function (w) { return NO_UNIT.indexOf(w) >= 0; })) {
      text = unit[1];
    }
    text = text.replace(/^[*x] *(?=[0-9.])|([0-9.)]) *x$/, "$1");
    return GROUPS.test(text) ? text.split(" ").join("") : text;
  }

  // A name, a unit, equals signs and groups of digits are for a number that is the whole answer,
  // not for an array's entry.
  function parseNumber(text, entry) {
    if (Array.from(text).length > MAX_NUMBER) fail("long");
    text = stripped(plain(undressed(text)));
    if (entry) return evaluated(text.replace(/^[=≈~] */, ""));
    var inside = /^(?:(?:[a-z]+[.])?(?:array|tensor|matrix)\((.*)\)|(\[.*\]))$/i.exec(text);
    if (inside) text = (inside[1] || inside[2] || "").replace(/^[ [\]]+|[ [\]]+$/g, "");
    var sides = text.replace(LEAD, "").split(/[=≈]/), last = sides.pop();
    if (sides.length && !sides.concat([last]).every(stripped)) fail("char", { text: "=" });
    var values = sides.filter(function (side) {
      return (side.toLowerCase().match(/[a-z]+/g) || []).every(function (w) { return READABLE.indexOf(w) >= 0; });
    }).concat([last]).map(function (side) { return evaluated(bare(stripped(side))); });
    if (values.some(function (x) { return Math.abs(x - values[0]) > 0.05 * Math.abs(values[0]); })) {
      fail("sides");
    }
    return values[0];
  }

  function evaluated(text) {
    if (/(?:\^|\*\*) *1 *\//.test(text)) fail("root");
    var odd = /[^-+*/^%()⁻⁰¹²³⁴⁵⁶⁷⁸⁹A-Za-z0-9., ]/u.exec(text);
    var name = odd && /[A-Za-z]{1,5}_[A-Za-z0-9]+|[Α-Ωα-ω]/.exec(text);
    if (name && name[0].indexOf(odd[0]) >= 0) fail("letter", { text: name[0] });
    if (odd) fail("char", { text: shown(odd[0]) });
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
      return fail(has(REFUSED, name) ? REFUSED[name] : "word", { text: name });
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

  // One bracketed array, or rows between semicolons; the entries are still text.
  function nested(items) {
    var bracketed = items.indexOf("[") >= 0 || items.indexOf("]") >= 0;
    if (bracketed) {
      var text = items.filter(function (item) { return item !== ";"; }).map(function (item) {
        return "[]".indexOf(item) >= 0 ? item : JSON.stringify(item);
      }).join(",").replace(/\[,/g, "[").replace(/,\]/g, "]");
      try {
        if (items[0] === "[") return JSON.parse(text);
      } catch (error) { /* they do not match */ }
      fail("bracket");
    }
    var rows = items.join("\n").split(";").map(function (row) { return row.split("\n").filter(Boolean); })
      .filter(function (row) { return row.length; });
    if (rows.every(function (row) { return row.length === 1; })) return [].concat.apply([], rows);
    return rows.length === 1 ? rows[0] : rows;
  }

  // Reads the entries; all lists of one depth have to be of one length.
  function grid(value, depth) {
    if (typeof value === "string") return { shape: [], values: [parseNumber(value, true)] };
    if (depth > 4) fail("deep");
    var rows = value.map(function (item) { return grid(item, depth + 1); });
    rows.forEach(function (row) {
      if (String(row.shape) !== String(rows[0].shape)) {
        fail("ragged", { a: rows[0].shape.length ? rows[0].shape[0] : 1, b: row.shape.length ? row.shape[0] : 1 });
      }
    });
    var values = [].concat.apply([], rows.map(function (row) { return row.values; }));
    return { shape: [rows.length].concat(rows.length ? rows[0].shape : []), values: values };
  }

  // What stands around or between the numbers: names, tensor(…, dtype=…).
  var NAME = /(^|[ ,;\n])[A-Za-zΑ-Ωα-ω][A-Za-z0-9_₀-₉]*'? *[=≈] */g;
  var LABEL = new RegExp(
    "(^|[ ,;\n])(?!(?:sqrt|exp|ln|log|log2|log10|tanh|pi|inf|nan|array|tensor|matrix|np|math)" +
    "(?![A-Za-z]))[A-Za-z]{3,} *:? *(?=[-−+]?[.0-9√])", "g");
  var OPTION = /, *(?:dtype|device|grad_fn|requires_grad)=[^,)\]]*/g;

  function trimmed(text) { return text.replace(/^[ \n;]+|[ \n;]+$/g, ""); }

  function unwrapped(text) {
    var call = /^(?:[A-Za-z]+[.])?(?:array|tensor|matrix)\(([^]*)\)$/i.exec(text);
    if (call) return trimmed(call[1]);
    var depth = 0;
    for (var i = 0; i < text.length; i += 1) {
      depth += (text[i] === "(") - (text[i] === ")");
      if (depth === 0) {
        return text[0] === "(" && i === text.length - 1 ? trimmed(text.slice(1, -1)) : text;
      }
    }
    return text;
  }

  var hasDecimalComma = function (text) { return /[0-9],[0-9]/.test(text); };

  // `length` numbers between semicolons, some with a decimal comma: 0,5; 0,25.
  function semicolons(text, length) {
    var parts = text.split(/[;\n]/).map(function (part) { return part.replace(/^ +| +$/g, ""); });
    if (parts.length !== length || length < 2 || !hasDecimalComma(text)) return null;
    var readable = parts.every(function (part) {
      return /^[-−+]?[0-9]+,[0-9]+$/.test(part) || (part && !/[ ,[\]]/.test(part));
    });
    return readable ? grid(parts, 0) : null;
  }

  // `length` is how many numbers are asked for if they are a plain list, else 0 or left out.
  function parseArray(text, length) {
    if (Array.from(text).length > MAX_TEXT) fail("long");
    text = undressed(text.replace(/[\t\r\f\v\u00a0\u2009\u202f]/g, " ")).replace(/^[ \n]+|[ \n]+$/g, "");
    var typed = text.indexOf(";") >= 0;
    text = text.replace(/ +%/g, "%").split(" and ").join(" , ");
    text = text.replace(OPTION, "").replace(LEAD, "").replace(NAME, "$1").replace(LABEL, "$1");
    if (/masked|(?:^|[[ ,\n;])--(?:$|[\] ,\n;])/.test(text)) fail("masked");
    text = unwrapped(text);
    if (/^\[[^[\]]*\]$/.test(text) && typed) text = text.slice(1, -1);
    else if (/^(?:\[[^[\]]*\][ ,;\n]*){2,}$/.test(text)) text = "[" + text + "]";
    var listed = semicolons(text, length || 0);
    if (listed) return listed;
    var items = pieces(text);
    if (!items.length) fail("blank");
    if (items.length > MAX_ENTRIES) fail("long");
    var words = text.split(/[ ;\n]+/).filter(Boolean);
    if (words.length > 1 && words.every(function (w) { return /^[-−+]?[0-9]+,[0-9]+$/.test(w); })) {
      fail("commas");
    }
    if (items.some(function (item) { return /^[-+*/=≈~]$/.test(item); })) fail("only");
    return grid(nested(items), 0);
  }

  exercises.say = say;
  exercises.NotANumber = NotANumber;
  exercises.parseNumber = parseNumber;
  exercises.parseArray = parseArray;
})(window.whySqrtDExercises = window.whySqrtDExercises || {});
