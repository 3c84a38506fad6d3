/* Softmax, its entropy, its effective number of keys and its Jacobian, as attn_helpers has them.
   A browser test holds these to attn_helpers to 1e-12. */
(function (playground) {
  "use strict";

  function sum(numbers) {
    return numbers.reduce(function (total, x) { return total + x; }, 0);
  }

  /** Weights of a row of logits; the maximum is subtracted, so that nothing overflows. */
  playground.softmax = function (logits) {
    var top = Math.max.apply(null, logits);
    var powers = logits.map(function (z) { return Math.exp(z - top); }), total = sum(powers);
    return powers.map(function (power) { return power / total; });
  };

  /** -Σ p log p in nats, with 0 log 0 = 0. */
  playground.entropy = function (weights) {
    return 0 - sum(weights.map(function (p) { return p > 0 ? p * Math.log(p) : 0; }));
  };

  /** 1 / Σ p²: between 1 (one key has it all) and n (all alike). */
  playground.effectiveKeys = function (weights) {
    return 1 / sum(weights.map(function (p) { return p * p; }));
  };

  /** J[i][j] = p_i (δ_ij - p_j): how weight i answers to logit j. */
  playground.jacobian = function (weights) {
    return weights.map(function (p, i) {
      return weights.map(function (q, j) { return i === j ? p - p * q : 0 - p * q; });
    });
  };
})(window.whySqrtDPlayground = window.whySqrtDPlayground || {});
