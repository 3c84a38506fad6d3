/* Densities of a score. */

export function normalDensity(x, mean, variance) {
  return Math.exp(-((x - mean) ** 2) / (2 * variance)) / Math.sqrt(2 * Math.PI * variance);
}

/** log Γ(d/2) for a whole d >= 1, less (d/2 - ½) log(d/2): what stays small when d grows. */
function logGammaRest(d) {
  const z = d / 2;
  if (d <= 40) {
    let product = d % 2 ? Math.sqrt(Math.PI) : 1;
    for (let factor = d % 2 ? 0.5 : 1; factor < z; factor += 1) product *= factor;
    return Math.log(product) - (z - 0.5) * Math.log(z);
  }
  const s = 1 / (z * z); // Stirling's series (DLMF 5.11.1): the next term is below 1e-16
  const series = (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / z;
  return -z + Math.log(2 * Math.PI) / 2 + series;
}

/** The density at `x` of q·k with independent N(0, I_d): |x|^ν K_ν(|x|) / (√π 2^ν Γ(d/2)).

    ν = (d - 1)/2; K_ν by the trapezoid rule on DLMF 10.32.9 around its peak, as
    attn_helpers.gaussian_score_pdf does; for d > 1, where it is finite. */
export function scoreDensity(x, d) {
  const size = Math.abs(x), nu = (d - 1) / 2;
  const w = Math.hypot(size, nu), right = (w + nu) / 2, left = (size / (w + nu)) * (size / 2);
  const step = Math.min(0.15, 0.5 / Math.sqrt(w));
  const term = s => Math.exp(nu * s - right * Math.expm1(s) - left * Math.expm1(-s));
  let integral = term(0);
  for (const direction of [step, -step]) {
    for (let j = 1, before = Infinity; ; j += 1) {
      const more = term(j * direction);
      integral += more;
      if (more < 1e-17 * integral && more <= before) break;
      before = more;
    }
  }
  // ν log((ν + w)/2) - log Γ(d/2), where both are large, is small: ν log((ν + w)/d) and a rest.
  const constant = -Math.log(2) - Math.log(Math.PI) / 2 - logGammaRest(d);
  return step * integral * Math.exp(nu * Math.log((nu + w) / d) - w + constant);
}
