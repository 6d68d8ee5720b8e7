/** Limits that a parameter lies between, in 95 of 100 cases. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * The interval of Clopper and Pearson (1934) for a proportion: `successes` of `trials`, which need not be whole numbers. It
 * contains the true proportion in at least 95 % of all samples, whatever that proportion is.
 */
export function exactInterval(successes: number, trials: number): Interval {
  const tail = (1 - 0.95) / 2;
  const failures = trials - successes;
  return {
    low: successes <= 0 ? 0 : betaQuantile(tail, successes, failures + 1),
    high: failures <= 0 ? 1 : betaQuantile(1 - tail, successes + 1, failures),
  };
}

/** Where the distribution function of Beta(a, b) reaches `probability`, by bisection. */
function betaQuantile(probability: number, a: number, b: number): number {
  let [low, high] = [0, 1];
  for (let round = 0; round < 60; round += 1) {
    const middle = (low + high) / 2;
    if (betaDistribution(middle, a, b) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The regularised incomplete beta function I_x(a, b), by its continued fraction (DLMF 8.17.22). */
function betaDistribution(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - betaDistribution(1 - x, b, a);
  const logFactor = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  return Math.exp(logFactor) / (a * continuedFraction(x, a, b));
}

/** 1 + d1/(1 + d2/(1 + …)), evaluated from the front by the method of Lentz. */
function continuedFraction(x: number, a: number, b: number): number {
  let [value, numerator, denominator] = [1, 1, 0];
  for (let index = 1; index <= 500; index += 1) {
    const m = index >> 1;
    const part =
      index % 2 === 0
        ? (m * (b - m) * x) / ((a + index - 1) * (a + index))
        : (-(a + m) * (a + b + m) * x) / ((a + index - 1) * (a + index));
    denominator = 1 / notZero(1 + part * denominator);
    numerator = notZero(1 + part / numerator);
    const change = numerator * denominator;
    value *= change;
    if (Math.abs(change - 1) < 1e-13) break;
  }
  return value;
}

function notZero(value: number): number {
  return Math.abs(value) < 1e-300 ? 1e-300 : value;
}

/** ln Γ(x) for x > 0: the series of Stirling (DLMF 5.11.1), after shifting x to where six terms suffice. */
function logGamma(x: number): number {
  let [shifted, product] = [x, 1];
  while (shifted < 10) {
    product *= shifted;
    shifted += 1;
  }
  const square = shifted * shifted;
  const series =
    (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / shifted;
  return (
    (shifted - 0.5) * Math.log(shifted) - shifted + Math.log(2 * Math.PI) / 2 + series - Math.log(product)
  );
}
