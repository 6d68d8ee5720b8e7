import type { CrossingRange } from '@visitor-counter/database/crossings/crossings';
import { type OccupancyPart, readParts } from '@visitor-counter/database/occupancy/parts';
import { quarterOf, startOfQuarter } from '@visitor-counter/database/occupancy/quarter';
import { QuarterStates, readQuarters } from '@visitor-counter/database/occupancy/read-quarters';
import { finalUntil } from '@visitor-counter/database/retention/removed-before';
import type { RunStatement } from '@visitor-counter/database/sql/run-statement';
import type { Correction } from '@visitor-counter/domain/occupancy';

/** What the projection shows of a store in a range, and where crossings must be read instead. */
export interface Projected {
  readonly toRead: readonly CrossingRange[];
  /** The rest, in order. */
  readonly steps: Generator<Step, void>;
}

/** A quarter hour, or a part of one, that begins at `from` (epoch ms). */
type Step = Pick<OccupancyPart, 'from' | 'stretch'>;

/** A range of a store, and how it is counted. */
export interface CountedRange extends CrossingRange {
  readonly corrections: readonly Correction[];
  /** Whether every bucket begins with a quarter hour. */
  readonly isAligned: boolean;
}

/**
 * Reads the projection of a range. Crossings must be read in quarter hours with a correction, before which the occupancy
 * is in the answer, in an incomplete quarter hour at the end, and everywhere if a bucket begins within a quarter hour.
 *
 * Crossings of final quarter hours may have been removed; the projection has their parts instead. Where it has no parts,
 * because the business day began at another time when they became final, a quarter hour counts where it begins.
 */
export async function readProjected(run: RunStatement, range: CountedRange): Promise<Projected> {
  const { storeId, from, to, corrections, isAligned } = range;
  const [first, last] = [quarterOf(from), quarterOf(to - 1)];
  const needsParts = !isAligned || corrections.length > 0;
  const final = needsParts ? Math.min(to, (await finalUntil(run, storeId)) ?? from) : from;
  const lastFinal = quarterOf(final - 1);
  const parts = final > from ? await readParts(run, { storeId, first, last: lastFinal }) : [];
  const quarters =
    isAligned || final > from
      ? await readQuarters(run, [{ storeId, first, next: (isAligned ? last : lastFinal) + 1 }])
      : new QuarterStates();
  const toRead = (isAligned ? correctedQuarters(range) : [{ storeId, from, to }]).flatMap((one) =>
    one.to <= final ? [] : [{ ...one, from: Math.max(one.from, final) }],
  );
  const replaced = new Set([...corrections.map(({ at }) => at), ...(isAligned ? [to] : [])].map(quarterOf));
  const used = isAligned ? parts.filter((part) => replaced.has(quarterOf(part.from))) : parts;
  for (const part of used) replaced.add(quarterOf(part.from));
  const within = used.filter((part) => part.from >= from && part.from < final);
  return { toRead, steps: stepsOf(quarters, within, replaced, from) };
}

/** The quarter hours of a range, clipped to it, that have a correction or reach beyond its end. */
function correctedQuarters({ storeId, from, to, corrections }: CountedRange): CrossingRange[] {
  const instants = [...corrections.map(({ at }) => at), ...(to > from ? [to] : [])];
  const quarters = new Set(instants.map(quarterOf));
  return [...quarters]
    .map((quarter) => ({
      ...{ storeId, from: startOfQuarter(quarter), to: Math.min(startOfQuarter(quarter + 1), to) },
    }))
    .filter((range) => range.from < range.to);
}

/** Parts, and the quarter hours that nothing replaces and that begin at `from` (epoch ms) or later, in the order of time. */
function* stepsOf(
  quarters: QuarterStates,
  parts: readonly OccupancyPart[],
  replaced: ReadonlySet<number>,
  from: number,
): Generator<Step, void> {
  let nextPart = 0;
  for (let index = 0; index < quarters.length; index += 1) {
    const quarter = quarters.quarter(index);
    const start = startOfQuarter(quarter);
    for (let part = parts[nextPart]; part && part.from < start; part = parts[nextPart]) {
      yield part;
      nextPart += 1;
    }
    if (start >= from && !replaced.has(quarter)) yield { from: start, stretch: quarters.stretch(index) };
  }
  yield* parts.slice(nextPart);
}
