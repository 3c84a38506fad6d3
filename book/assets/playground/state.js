/* What the playground shows: { scores, d, scale }, and how an address says it.

   scale is "none" (β = 1), "sqrt" (β = 1/√d) or a number (β itself). An address ends in
   #softmax-playground?scores=14,10&d=4&scale=sqrt */
(function (playground) {
  "use strict";

  var NAME = "softmax-playground";
  playground.NAME = NAME;
  playground.MOST_KEYS = 8;
  playground.MOST_D = 1024;
  playground.BETA = { min: -6, max: 3, step: 0.125 }; // powers of two
  var LARGEST = 1e4; // of a score

  function shortNumber(x) {
    return String(Number(x.toPrecision(6)));
  }

  playground.beta = function (state) {
    if (state.scale === "none") return 1;
    return state.scale === "sqrt" ? 1 / Math.sqrt(state.d) : state.scale;
  };

  playground.logits = function (state) {
    var beta = playground.beta(state);
    return state.scores.map(function (score) { return beta * score; });
  };

  /** Another dimension: scores of one recipe grow as its square root. */
  playground.withDimension = function (state, d) {
    var factor = Math.sqrt(d / state.d);
    return {
      scores: state.scores.map(function (score) { return score * factor; }),
      d: d,
      scale: state.scale,
    };
  };

  /** How far a slider of scores reaches: 20, or as often doubled as needed. */
  playground.reach = function (state) {
    var most = Math.max.apply(null, state.scores.map(Math.abs)), reach = 20;
    while (reach < most) reach *= 2;
    return reach;
  };

  playground.toHash = function (state) {
    var scale = typeof state.scale === "number" ? shortNumber(state.scale) : state.scale;
    return "#" + NAME + "?scores=" + state.scores.map(shortNumber).join(",") +
      "&d=" + state.d + "&scale=" + scale;
  };

  function number(text) {
    return /^-?\d+(\.\d+)?(e-?\d+)?$/.test(text) ? Number(text) : NaN;
  }

  /** The state that an address names, or null if it names none or one that cannot be. */
  playground.fromHash = function (hash) {
    if (hash.indexOf("#" + NAME + "?") !== 0) return null;
    var query = new URLSearchParams(hash.slice(NAME.length + 2));
    var scores = (query.get("scores") || "").split(",").map(number);
    var d = number(query.get("d") || "1"), scale = query.get("scale") || "none";
    var known = scale === "none" || scale === "sqrt";
    if (!known) scale = number(scale);
    var log = Math.log2(d), limits = playground.BETA;
    var fine = scores.length >= 2 && scores.length <= playground.MOST_KEYS &&
      scores.every(function (score) { return Math.abs(score) <= LARGEST; }) &&
      log === Math.round(log) && d >= 1 && d <= playground.MOST_D &&
      (known || (scale >= Math.pow(2, limits.min) && scale <= Math.pow(2, limits.max)));
    return fine ? { scores: scores, d: d, scale: scale } : null;
  };
})(window.whySqrtDPlayground = window.whySqrtDPlayground || {});
