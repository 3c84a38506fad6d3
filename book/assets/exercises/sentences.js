/* What the static page says about an answer. The same sentences as attn_helpers/exercises/messages.py;
 * tests/exercises holds the two together.
 *
 * The scripts in this folder are classic ones without dependencies: they work from file:// and send
 * nothing anywhere. Loaded in this order: sentences, grammar, judging, forms. */
(function (exercises) {
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
    "percent": "That is off by a factor of 100: look at the per cent sign.",
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

  exercises.SAY = SAY;
  exercises.say = say;
  exercises.withHint = withHint;
})(window.whySqrtDExercises = window.whySqrtDExercises || {});
