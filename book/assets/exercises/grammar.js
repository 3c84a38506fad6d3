/* Reads a number or an array that was typed as text; tests/course/exercises/grammar_cases.json
 * has what it takes. (A notebook takes Python's values.)
 *
 * The scripts of the exercises are classic ones without dependencies: they work from file:// and
 * send nothing anywhere. Loaded in this order: sentences (written from the package when the site
 * is built), grammar, judging, progress, forms. */
(exercises => {
  "use strict";

  const SAY = exercises.SAY;

  // A sentence with its fields filled in.
  const say = (key, fields = {}) => SAY[key].replace(/\{(\w+)\}/g, (slot, name) => fields[name] ?? slot);

  Object.assign(SAY, {
    ambiguous: "“{text}” can be read two ways, as {a} or as {b}: write one of these two.",
    commas: "The commas can be read two ways: write decimals with a point, as in 1.5 2.5.",
    slash: "A product without a sign after / can be read two ways: add brackets.",
    only: "Write only the numbers, with blanks or commas between them.",
    numeral: "“{text}” is not a number: use digits and one decimal point.",
    side: "Two numbers stand side by side: put a sign between them, or leave out the space.",
    word: "“{text}” is not understood. Numbers, + - * / ^, brackets, sqrt, exp, ln, log2, " +
      "log10, tanh, pi and e are.",
    letter: "“{text}” stands for a number here: write that number in its place.",
    char: "“{text}” is not understood at that place.",
    unfinished: "That stops in the middle: something is missing at the end.",
    bracket: "The brackets do not match.",
    zero: "That divides by zero.",
    real: "That is not a real number: look at the root, the power or the logarithm.",
    huge: "That is too large to be computed as an ordinary number.",
    nan: "nan means “not a number”: 0/0, inf/inf or inf - inf was computed. Was an exponential too large?",
    inf: "The answer is finite, and yours is infinite."
  });

  // ------------------------------------------------------------------ numbers as text

  const MAX_NUMBER = 200, MAX_TEXT = 4000, MAX_ENTRIES = 1000;

  class NotANumber { constructor(key, fields) { this.line = say(key, fields); } }
  function fail(key, fields) { throw new NotANumber(key, fields); }

  // The rules stand in why_sqrt_d/exercises/typed_rules.py.
  const { groups, ...rules } = exercises.READING, GROUPS = new RegExp(groups);
  const rewritten = (text, list) => rules[list].reduce(
    (done, [pattern, put]) => done.replace(new RegExp(pattern, "giu"), put), text);
  const plain = text => rewritten(rewritten(text, "before").normalize("NFKC"), "after").trim();

  // A comma may be a decimal one, or stand between groups of three digits.
  function numeral(text) {
    let [body] = /^[^e]*/i.exec(text);
    const tail = text.slice(body.length);
    if (/^[1-9][0-9]{0,2},[0-9]{3}$/.test(body))
      fail("ambiguous", { text, a: body.replace(",", ".") + tail, b: body.replace(",", "") + tail });
    if (/^[0-9]*,[0-9]+$/.test(body)) body = body.replace(",", ".");
    else if (/^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?$/.test(body)) body = body.replaceAll(",", "");
    else if (/^[0-9]{1,3}(\.[0-9]{3}){2,}$|^[0-9]{1,3}(\.[0-9]{3})+,[0-9]+$/.test(body)) {
      body = body.replaceAll(".", "").replace(",", ".");
    } else if (!/^[0-9]*\.?[0-9]*$/.test(body)) fail("numeral", { text });
    return Number(body + tail);
  }

  const TOKEN = new RegExp("([0-9.,]*[0-9][0-9.,]*(?:e[+-]?[0-9]+)?)|((?:np|jnp|numpy|math|torch)[.])?" +
    "(log10|log2|[a-zα-ω]+(?:_[a-z0-9]+)?)|([-+*/^()%])|(\\S)", "giu");

  function tokens(text) {
    return Array.from(text.replaceAll("**", "^").matchAll(TOKEN), match => {
      const name = (match[3] || "").toLowerCase();
      if (match[5]) fail("char", { text: match[5] });
      if (match[1]) return { kind: "number", text: match[1], value: numeral(match[1]) };
      if (match[4] || name === "x") return { kind: "sign", text: match[4] || "*" };
      return { kind: "word", text: match[2] && name === "log" ? "ln" : name };
    });
  }

  const positive = f => x => (x > 0 ? f(x) : NaN);
  const NAMES = { pi: Math.PI, e: Math.E, sqrt: Math.sqrt, exp: Math.exp, ln: positive(Math.log),
    log2: positive(Math.log2), log10: positive(Math.log10), tanh: Math.tanh };
  const REFUSED = { log: "log", inf: "inf", infinity: "inf", nan: "nan" };
  const LETTER = /^(?:.|.*_.*|alpha|beta|rho|sigma)$/u;

  function bare(text) {
    text = rewritten(text, "number");
    return GROUPS.test(text) ? text.replaceAll(" ", "") : text;
  }

  // A name, a unit, equals signs and groups of digits are for a number that is the whole answer,
  // not for one of several; of several sides the first one with a number counts.
  function parseNumber(text) {
    if (Array.from(text).length > MAX_NUMBER) fail("long");
    text = plain(text);
    const call = CALL.exec(text), inside = call ? call[1].replace(OPTION, "") : text;
    if (call || /^\[.*\]$/.test(text)) text = inside.replace(/^[ [\]]+|[ [\]]+$/g, "");
    const sides = text.split(/[=≈]/).map(side => side.trim());
    for (const side of sides.slice(0, -1)) {
      try {
        if (/[0-9]/.test(side) && !/^[a-zα-ω]\w*'?$/i.test(side)) return evaluated(bare(side));
      } catch { /* it is a name, or has one in it */ }
    }
    return evaluated(bare(sides.at(-1)));
  }

  function evaluated(text) {
    for (const [pattern, key] of rules["two ways"]) if (new RegExp(pattern, "u").test(text)) fail(key);
    const found = tokens(text);
    if (!found.length) fail("blank");

    const peek = () => found[0] ?? { kind: "end", text: "" };
    const takes = signs => (signs.includes(peek().text) && found.length ? found.shift().text : "");
    function sum() {
      let total = product(), sign;
      while ((sign = takes("+-"))) total += sign === "+" ? product() : -product();
      return total;
    }
    function product() {
      let total = signed(), last = "", sign;
      for (;;) {
        if (peek().kind === "number") fail("side");
        if ((sign = takes("*/"))) {
          const next = signed();
          if (sign === "/" && next === 0) fail("zero");
          total = sign === "*" ? total * next : total / next;
          last = sign;
        } else if (peek().kind === "word" || peek().text === "(") {
          if (last === "/") fail("slash");
          total *= powered();
        } else return total;
      }
    }
    function signed() {
      const sign = takes("+-"), value = sign ? signed() : powered();
      return sign === "-" ? -value : value;
    }
    function powered() {
      let base = atom();
      while (takes("%")) base /= 100;
      if (!takes("^")) return base;
      const power = signed();
      if (base === 0 && power < 0) fail("zero");
      return base ** power;
    }
    function atom() {
      const t = peek();
      if (t.kind === "end") fail("unfinished");
      found.shift();
      if (t.kind === "number") return t.value;
      if (t.kind === "word") return named(t.text);
      if (t.text !== "(") fail(t.text === ")" ? "bracket" : "char", { text: t.text });
      return closed();
    }
    function closed() {
      const value = sum();
      if (!takes(")")) fail("bracket");
      return value;
    }
    function named(name) {
      if (!Object.hasOwn(NAMES, name)) {
        fail(Object.hasOwn(REFUSED, name) ? REFUSED[name] : LETTER.test(name) ? "letter" : "word", { text: name });
      }
      const known = NAMES[name];
      return typeof known === "number" ? known : known(takes("(") ? closed() : powered());
    }

    const value = sum();
    if (found.length) fail(peek().text === ")" ? "bracket" : "char", { text: peek().text });
    if (Number.isNaN(value)) fail("real");
    if (!Number.isFinite(value)) fail("huge");
    return value;
  }

  // ----------------------------------------------------------- several numbers as text

  // What stands around the numbers: brackets, jax.numpy.asarray(…, dtype=…).
  const CALL = /^(?:[A-Za-z]+[.])*(?:as_?|float|double)?(?:array|tensor|matrix|constant)\(([^]*)\)$/i;
  const OPTION = /, *(?:dtype|device|grad_fn|requires_grad)=[^,)\]]*/g;

  // Cuts where a blank, a comma or a line's end stands outside brackets.
  function pieces(text) {
    const found = [""];
    let depth = 0;
    for (const c of text) {
      depth += (c === "(") - (c === ")");
      if (depth > 0 || !" ,;\n".includes(c)) found[found.length - 1] += c;
      else found.push("");
    }
    return found.filter(Boolean);
  }

  // Rows count as read one after the other. `length` is how many numbers are asked for.
  function parseArray(text, length) {
    if (Array.from(text).length > MAX_TEXT) fail("long");
    text = rewritten(plain(text).replace(OPTION, "").replace(/^[=≈~] */, ""), "list").trim();
    text = text.replace(CALL, "$1").replace(/^\(([^()]*)\)$/, "$1");
    const rows = text.includes("[");
    text = text.replace(/[[\]]/g, " ").trim();
    // What stands between them may be clear: 0,5; 0,25 has decimal commas, 3, 13 360 a group of digits.
    for (const parts of [text.split(/[;\n]/), text.split(/,(?=\s)/)])
      if (parts.length === length && length > 1 && !rows) return parts.map(part => evaluated(bare(part.trim())));
    const items = pieces(text);
    if (!items.length) fail("blank");
    if (items.length > MAX_ENTRIES) fail("long");
    if (/^[-+]?[0-9]+,[0-9]+(?:[ ;\n]+[-+]?[0-9]+,[0-9]+)+$/.test(text)) fail("commas");
    if (items.some(item => /^[-+*/=≈~]$/.test(item))) fail("only");
    return items.map(evaluated);
  }

  Object.assign(exercises, { say, NotANumber, parseNumber, parseArray });
})(window.whySqrtDExercises ??= {});
