import type { Correction } from '@visitor-counter/domain/occupancy';
import type { Kysely } from 'kysely';
import type { StoreRange } from '../crossings/crossings.ts';
import { type OccupancyPart, readParts } from './final-quarters.ts';
import { quarterOf, startOfQuarter } from './quarter.ts';
import { type QuarterRange, type QuarterStates, readQuarters } from './read-quarters.ts';

/** What the projection has of a store in a range, and where crossings must be read instead. */
export interface OccupancySteps {
  readonly toRead: readonly StoreRange[];
  /** The rest, in order. */
  readonly steps: Generator<Step, void>;
}

/** A quarter hour, or a part of one, that begins at `from` (epoch ms). */
type Step = Pick<OccupancyPart, 'from' | 'stretch'>;

/** A range of a store, and how it is counted. */
interface CountedRange extends StoreRange {
  readonly corrections: readonly Correction[];
  /** Whether every bucket begins with a quarter hour. */
  readonly isAligned: boolean;
}

/**
 * Reads the projection of ranges, each of another store of one company, in their order. Crossings must be read in three
 * cases: in quarter hours with a correction, because the answer has the occupancy before it; in a quarter hour at the end
 * that has later ones; and everywhere if a bucket begins within a quarter hour.
 *
 * Crossings of quarter hours before `final` (epoch ms) may have been removed; the projection has their parts instead. Where
 * it has no parts, because the business day began at another time when they became final, a quarter hour counts where it
 * begins.
 */
export async function readSteps(
  db: Kysely<unknown>,
  ranges: readonly CountedRange[],
  final: number,
): Promise<OccupancySteps[]> {
  const read = ranges.flatMap((range): QuarterRange[] => {
    const { storeId, from, to, isAligned } = range;
    const end = isAligned ? to : finalWithin(range, final);
    return end > from ? [{ storeId, first: quarterOf(from), next: quarterOf(end - 1) + 1 }] : [];
  });
  const quarters = await readQuarters(db, read);
  const indexesOf = new Map<number, IndexRange>();
  for (let index = 0; index < quarters.length; index += 1) {
    const first = indexesOf.get(quarters.storeId(index))?.first ?? index;
    indexesOf.set(quarters.storeId(index), { first, next: index + 1 });
  }
  const found: OccupancySteps[] = [];
  for (const range of ranges) {
    const indexes = indexesOf.get(range.storeId) ?? { first: 0, next: 0 };
    found.push(await stepsIn(db, range, finalWithin(range, final), quarters, indexes));
  }
  return found;
}

/** The indexes of the quarters of one store among those that were read. */
interface IndexRange {
  readonly first: number;
  readonly next: number;
}

/** Until when (epoch ms) the quarter hours of a range are read as parts; where it begins if none are. */
function finalWithin({ from, to, corrections, isAligned }: CountedRange, final: number): number {
  return isAligned && corrections.length === 0 ? from : Math.max(from, Math.min(to, final));
}

async function stepsIn(
  db: Kysely<unknown>,
  range: CountedRange,
  final: number,
  quarters: QuarterStates,
  indexes: IndexRange,
): Promise<OccupancySteps> {
  const { storeId, from, to, corrections, isAligned } = range;
  const [first, next] = [quarterOf(from), quarterOf(final - 1) + 1];
  const whole = { storeId, from: startOfQuarter(first), to: startOfQuarter(next) };
  const parts = final > from ? await readParts(db, [whole]) : [];
  const hasLater = isAligned && indexes.next > indexes.first && quarters.latest(indexes.next - 1) >= to;
  const divided = [...corrections.map(({ at }) => at), ...(hasLater ? [to] : [])];
  const toRead = (isAligned ? quartersOf(range, divided) : [{ storeId, from, to }]).flatMap((one) =>
    one.to <= final ? [] : [{ ...one, from: Math.max(one.from, final) }],
  );
  const replaced = new Set(divided.map(quarterOf));
  const used = isAligned ? parts.filter((part) => replaced.has(quarterOf(part.from))) : parts;
  for (const part of used) replaced.add(quarterOf(part.from));
  const within = used.filter((part) => part.from >= from && part.from < final);
  return { toRead, steps: stepsOf(quarters, indexes, within, replaced, from) };
}

/** The quarter hours of these instants (epoch ms), up to the end of a range. */
function quartersOf({ storeId, to }: StoreRange, instants: readonly number[]): StoreRange[] {
  const quarters = new Set(instants.map(quarterOf));
  return [...quarters]
    .map((quarter) => ({
      storeId,
      from: startOfQuarter(quarter),
      to: Math.min(startOfQuarter(quarter + 1), to),
    }))
    .filter((range) => range.from < range.to);
}

/** Parts, and the quarter hours that nothing replaces and that begin at `from` (epoch ms) or later, in the order of time. */
function* stepsOf(
  quarters: QuarterStates,
  indexes: IndexRange,
  parts: readonly OccupancyPart[],
  replaced: ReadonlySet<number>,
  from: number,
): Generator<Step, void> {
  let nextPart = 0;
  for (let index = indexes.first; index < indexes.next; index += 1) {
    const quarter = quarters.quarter(index);
    const start = startOfQuarter(quarter);
    for (let part = parts[nextPart]; part && part.from < start; part = parts[nextPart]) {
      yield part;
      nextPart += 1;
    }
    if (start >= from && !replaced.has(quarter))
      yield { from: start, stretch: quarters.folded(index).stretch };
  }
  yield* parts.slice(nextPart);
}
