import type { Crossing, Direction } from './crossing.ts';

/** Passages that a person saw, each with the crossing that the unit counted for it. */
interface Matching {
  /** The crossing of each passage, as indexes in the two lists; undefined for a passage that the unit did not count. */
  readonly crossingOf: readonly (number | undefined)[];
  /** By how much the person's instants are later than the unit's (ms): reaction time, and the clock of their phone. */
  readonly lag: number;
}

/** A passage and a crossing further apart than this (ms), after the common lag, are not the same person. */
export const reach = 3_000;

/** The longest lag that is searched for, in both directions (ms). */
export const longestLag = 30_000;

/**
 * Matches what a person saw with what the unit counted, each direction separately; both lists are in order of time, and so
 * are the pairs. The cost is the sum of the distances in time, plus `reach / 2` for each passage or crossing without a
 * partner; it is as small as possible. The lag that all passages have in common is found first, and costs nothing.
 */
export function matchPassages(passages: readonly Crossing[], crossings: readonly Crossing[]): Matching {
  let lag = commonLag(passages, crossings);
  let crossingOf = matchWithLag(passages, crossings, lag);
  for (let round = 0; round < 2; round += 1) {
    const lags = passages.flatMap(({ at }, index) => at - (crossings[crossingOf[index] ?? -1] ?? { at }).at);
    const matched = lags.filter((_, index) => crossingOf[index] !== undefined).sort((a, b) => a - b);
    lag = matched[matched.length >> 1] ?? lag;
    crossingOf = matchWithLag(passages, crossings, lag);
  }
  return { crossingOf, lag };
}

/** The steps in which the lag is searched for, and how far around each the differences count (ms). */
const [step, spread] = [100, 1_000];

/** How much less a lag of `longestLag` counts than none: a phone that asks the server for the time has a short one. */
const preference = 0.25;

/** The lag around which most of the differences are, weighted by their distance from it. */
function commonLag(passages: readonly Crossing[], crossings: readonly Crossing[]): number {
  const histogram = new Map<number, number>();
  for (const seen of passages) {
    for (const counted of crossings) {
      const lag = seen.at - counted.at;
      if (seen.direction !== counted.direction || Math.abs(lag) > longestLag) continue;
      const bin = Math.round(lag / step);
      histogram.set(bin, (histogram.get(bin) ?? 0) + 1);
    }
  }
  let best = { lag: 0, score: 0 };
  for (let lag = -longestLag; lag <= longestLag; lag += step) {
    let score = 0;
    for (let other = step - spread; other < spread; other += step)
      score += (histogram.get((lag + other) / step) ?? 0) * (1 - Math.abs(other) / spread);
    score *= 1 - (preference * Math.abs(lag)) / longestLag;
    if (score > best.score) best = { lag, score };
  }
  return best.lag;
}

function matchWithLag(passages: readonly Crossing[], crossings: readonly Crossing[], lag: number) {
  const crossingOf: (number | undefined)[] = passages.map(() => undefined);
  for (const direction of [1, -1] as const) {
    const [seen, counted] = [indexesOf(passages, direction), indexesOf(crossings, direction)];
    const instants = seen.map((index) => (passages[index]?.at ?? 0) - lag);
    const others = counted.map((index) => crossings[index]?.at ?? 0);
    for (const [rows, columns] of partsOf(instants, others)) {
      const pairs = pairsOf(instants.slice(...rows), others.slice(...columns));
      for (const [row, column] of pairs) crossingOf[seen[rows[0] + row] ?? 0] = counted[columns[0] + column];
    }
  }
  return crossingOf;
}

function indexesOf(list: readonly Crossing[], direction: Direction): number[] {
  return list.flatMap((one, index) => (one.direction === direction ? [index] : []));
}

type Range = [from: number, to: number];

/** Both lists divided at gaps longer than `reach`, so that both instants of a pair are in the same part. */
function* partsOf(rows: readonly number[], columns: readonly number[]): Generator<[Range, Range], void> {
  const earliest = (row: number, column: number) =>
    Math.min(rows[row] ?? Number.POSITIVE_INFINITY, columns[column] ?? Number.POSITIVE_INFINITY);
  for (let [row, column] = [0, 0]; row < rows.length || column < columns.length; ) {
    const [firstRow, firstColumn] = [row, column];
    let last = earliest(row, column);
    for (let next = last; next - last <= reach; next = earliest(row, column)) {
      last = next;
      if (rows[row] === next) row += 1;
      else column += 1;
    }
    yield [
      [firstRow, row],
      [firstColumn, column],
    ];
  }
}

/** The pairs of the cheapest matching in order, by dynamic programming: what it costs from each two positions on. */
function* pairsOf(rows: readonly number[], columns: readonly number[]): Generator<[number, number], void> {
  const alone = reach / 2;
  const rest = rows.map(() => new Float64Array(columns.length + 1));
  rest.push(
    Float64Array.from({ length: columns.length + 1 }, (_, index) => (columns.length - index) * alone),
  );
  const costAt = (row: number, column: number) => rest[row]?.[column] ?? 0;
  const pairedAt = (row: number, column: number) =>
    Math.abs((rows[row] ?? 0) - (columns[column] ?? 0)) + costAt(row + 1, column + 1);
  for (const [row, costs] of [...rest.entries()].slice(0, -1).reverse()) {
    costs[columns.length] = (rows.length - row) * alone;
    for (let column = columns.length - 1; column >= 0; column -= 1) {
      const single = alone + Math.min(costAt(row + 1, column), costAt(row, column + 1));
      costs[column] = Math.min(single, pairedAt(row, column));
    }
  }
  let [row, column] = [0, 0];
  while (row < rows.length && column < columns.length) {
    const cost = costAt(row, column);
    if (cost === alone + costAt(row + 1, column)) row += 1;
    else if (cost === alone + costAt(row, column + 1)) column += 1;
    else yield [row++, column++];
  }
}
