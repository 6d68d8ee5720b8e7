import { composeStretches } from '@visitor-counter/domain/occupancy';
import type { Addition, Change } from '../occupancy/change.ts';
import { sumOfCounts } from '../occupancy/device-counts.ts';
import { foldCrossings, type StoredRange } from '../occupancy/fold-stored.ts';
import { type OccupancyPart, readPartsOfQuarters, writeParts } from '../occupancy/parts.ts';
import { quarterOf, startOfQuarter } from '../occupancy/quarter.ts';
import { numberArray } from '../sql/arrays.ts';
import type { RunStatement } from '../sql/run-statement.ts';
import type { FinalBefore } from './apply-changes.ts';

/** The first quarter that is not final, of the stores of these changes that have final quarters. */
export async function finalBefore(run: RunStatement, changes: readonly Change[]): Promise<FinalBefore> {
  const stores = new Set(changes.map(({ storeId }) => storeId));
  const rows = await run<{ id: number; quarter: number }>('final-before', finalStatement, [
    numberArray([...stores]),
  ]);
  return new Map(rows.map(({ id, quarter }) => [id, quarter]));
}

const finalStatement = `
  select store.id, floor(extract(epoch from seal.before) / 900)::integer as quarter
  from store join projection_seal seal using (company_id) where store.id = any($1::integer[])`;

/** Adds crossings that arrived late to the parts of their final quarters, where they have parts. */
export async function addToParts(
  run: RunStatement,
  changes: readonly Change[],
  final: FinalBefore,
): Promise<void> {
  const late = changes.filter((change): change is Addition => {
    return change.stretch !== undefined && change.quarter < (final.get(change.storeId) ?? 0);
  });
  if (late.length === 0) return;
  const parts = await readPartsOfQuarters(run, late);
  const changed = new Map<number, OccupancyPart>();
  for (const { storeId, quarter, first, stretch, devices } of late) {
    const ofQuarter = parts.filter((part) => part.storeId === storeId && quarterOf(part.from) === quarter);
    const found = ofQuarter.findLast(({ from }) => from <= first) ?? ofQuarter[0];
    if (found === undefined) continue;
    const index = parts.indexOf(found);
    const part = changed.get(index) ?? found;
    changed.set(index, {
      ...part,
      stretch: composeStretches(part.stretch, stretch),
      devices: sumOfCounts(part.devices, devices),
    });
  }
  await writeParts(run, [...changed.values()]);
}

/** A company whose quarters become final up to `to`, from `from` on (epoch ms). */
interface Sealing {
  readonly company_id: number;
  readonly from: number;
  readonly to: number;
}

/** Quarters of stores whose days begin within a quarter, and corrections, that one call divides. */
const mostQuarters = 500;

/**
 * Makes quarters final whose crossings will be removed: of one company, as many as one call may divide into parts. The
 * transaction must see no change record that is not applied, and everything in it must see the database at one moment.
 */
export async function sealQuarters(run: RunStatement): Promise<void> {
  const [due] = await run<Sealing>('find-sealing', dueStatement, []);
  if (due === undefined) return;
  const stores = await run<DividedStore>('find-divided-stores', storesStatement, [due.company_id]);
  const to = Math.min(due.to, await endOfStep(run, due, stores));
  const step = { ...due, to };
  const ranges = [
    ...(await dividedDays(run, step, stores)),
    ...(await dividedByCorrections(run, step, stores)),
  ];
  const folded = await foldCrossings(run, ranges);
  const parts = ranges.flatMap(({ storeId, from }, index): OccupancyPart[] => {
    const fold = folded[index];
    if (fold === undefined || !Number.isFinite(fold.latest)) return [];
    return [{ storeId, from, stretch: fold.stretch, devices: fold.devices }];
  });
  await writeParts(run, parts);
  await run('seal', sealStatement, [due.company_id, to]);
}

const dueStatement = `
  select pass.company_id, (extract(epoch from coalesce(seal.before, '1970-01-01Z')) * 1000)::float8 as from,
    (extract(epoch from pass.removed_before) * 1000)::float8 as to
  from retention_pass pass left join projection_seal seal using (company_id)
  where finished_at is null and pass.removed_before > coalesce(seal.before, '1970-01-01Z')
  order by pass.company_id limit 1`;

const sealStatement = `
  insert into projection_seal (company_id, before) values ($1::integer, to_timestamp($2::float8 / 1000))
  on conflict (company_id) do update set before = excluded.before`;

/** A store whose days begin so many ms after a quarter began. */
interface DividedStore {
  readonly id: number;
  readonly offset: number;
}

const storesStatement = `
  select id, (extract(minute from day_starts_at::time)::integer % 15) * 60000 as offset
  from store where company_id = $1::integer and extract(minute from day_starts_at::time)::integer % 15 > 0
  order by id`;

/** Up to where one call goes (epoch ms), at the end of a quarter. */
async function endOfStep(run: RunStatement, due: Sealing, stores: readonly DividedStore[]): Promise<number> {
  const [row] = await run<{ first: number | null; correction: number | null }>(
    'end-of-sealing',
    endStatement,
    [...[due.company_id, due.from, due.to, numberArray(stores.map(({ id }) => id))]],
  );
  const window = Math.max(1, Math.floor(mostQuarters / Math.max(1, stores.length)));
  const { first = null, correction = null } = row ?? {};
  return Math.min(
    first === null ? Number.POSITIVE_INFINITY : startOfQuarter(first + window),
    correction === null ? Number.POSITIVE_INFINITY : startOfQuarter(quarterOf(correction) + 1),
  );
}

const endStatement = `
  select (
    select min(first.quarter) from unnest($4::integer[]) as divided (id)
    cross join lateral (
      select quarter from occupancy_quarter where store_id = divided.id
        and quarter >= floor($2::float8 / 900000)::integer and quarter < floor($3::float8 / 900000)::integer
      order by quarter limit 1
    ) first
  ) as first, (
    select (extract(epoch from at) * 1000)::float8 from correction_in_force
    join store on store.id = store_id
    where company_id = $1::integer and at >= to_timestamp($2::float8 / 1000) and at < to_timestamp($3::float8 / 1000)
    order by at offset ${mostQuarters} limit 1
  ) as correction`;

/** Both parts of each quarter within which a business day, and so every bucket of it, begins. */
async function dividedDays(
  run: RunStatement,
  { from, to }: Sealing,
  stores: readonly DividedStore[],
): Promise<StoredRange[]> {
  if (stores.length === 0) return [];
  const rows = await run<{ store_id: number; quarter: number }>('find-divided-quarters', quartersStatement, [
    ...[numberArray(stores.map(({ id }) => id)), quarterOf(from), quarterOf(to)],
  ]);
  const corrected = new Map<string, number[]>();
  for (const { store_id, at } of await corrections(
    run,
    stores.map(({ id }) => id),
    { from, to },
  )) {
    const key = `${store_id} ${quarterOf(at)}`;
    corrected.set(key, [...(corrected.get(key) ?? []), at + 1]);
  }
  const offsets = new Map(stores.map(({ id, offset }) => [id, offset]));
  return rows.flatMap(({ store_id: storeId, quarter }) => {
    const begins = [startOfQuarter(quarter) + (offsets.get(storeId) ?? 0)];
    return partsOf(storeId, quarter, [...begins, ...(corrected.get(`${storeId} ${quarter}`) ?? [])]);
  });
}

const quartersStatement = `
  select store_id, quarter from unnest($1::integer[]) as divided (id)
  join occupancy_quarter on store_id = divided.id and quarter >= $2::integer and quarter < $3::integer`;

/** The parts of quarters with corrections. A correction comes after all crossings of its instant. */
async function dividedByCorrections(
  run: RunStatement,
  { company_id, from, to }: Sealing,
  divided: readonly DividedStore[],
): Promise<StoredRange[]> {
  const others = await run<{ id: number }>('find-other-stores', othersStatement, [
    ...[company_id, numberArray(divided.map(({ id }) => id))],
  ]);
  const rows = await corrections(
    run,
    others.map(({ id }) => id),
    { from, to },
  );
  const quarters = Map.groupBy(rows, ({ store_id, at }) => `${store_id} ${quarterOf(at)}`);
  return [...quarters.values()].flatMap((group) => {
    const [first] = group;
    return first
      ? partsOf(
          first.store_id,
          quarterOf(first.at),
          group.map(({ at }) => at + 1),
        )
      : [];
  });
}

const othersStatement = `select id from store where company_id = $1::integer and id <> all($2::integer[])`;

async function corrections(
  run: RunStatement,
  stores: readonly number[],
  { from, to }: Pick<Sealing, 'from' | 'to'>,
): Promise<{ store_id: number; at: number }[]> {
  return await run('find-corrections-to-seal', correctionsStatement, [numberArray(stores), from, to]);
}

const correctionsStatement = `
  select store_id, (extract(epoch from at) * 1000)::float8 as at from correction_in_force
  where store_id = any($1::integer[])
    and at >= to_timestamp($2::float8 / 1000) and at < to_timestamp($3::float8 / 1000)`;

/** A quarter, divided at instants (epoch ms). */
function partsOf(storeId: number, quarter: number, instants: readonly number[]): StoredRange[] {
  const [start, end] = [startOfQuarter(quarter), startOfQuarter(quarter + 1)];
  const within = instants.filter((instant) => instant > start && instant < end);
  const begins = [...new Set([start, ...within])].sort((a, b) => a - b);
  return begins.map((from, index) => ({ storeId, from, to: begins[index + 1] ?? end }));
}
