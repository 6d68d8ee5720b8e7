import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ApiUnderTest, apiUnderTest } from '../../../test/api-under-test.ts';
import {
  type Calendar,
  type NaiveCorrection,
  type NaiveCrossing,
  naiveBuckets,
  naiveEvents,
} from '../../../test/naive-events.ts';

/* Zones and five days each in which something happens: 23, 25, 23.5 and 24.5 hours, and a set back across midnight. */
const periods: readonly [timeZone: string, firstDay: string][] = [
  ['Europe/Berlin', '2026-03-27'],
  ['Europe/Berlin', '2026-10-23'],
  ['America/Los_Angeles', '2026-03-06'],
  ['America/Los_Angeles', '2026-10-30'],
  ['Australia/Lord_Howe', '2026-04-03'],
  ['Australia/Lord_Howe', '2026-10-02'],
  ['America/St_Johns', '2010-11-05'],
  ['Asia/Kolkata', '2026-11-18'],
];
const hour = 3_600_000;

const instant = fc
  .tuple(fc.nat({ max: 5 * 24 * 4 }), fc.constantFrom(0, 0, 0, 5))
  .map(([quarter, minutes]) => quarter * (hour / 4) + (minutes * hour) / 60);

const cases = fc.record({
  period: fc.constantFrom(...periods),
  dayStartsAt: fc.constantFrom('00:00', '02:30', '04:00', '23:30'),
  /* Few instants for many crossings, so that devices and journals meet in one millisecond. */
  crossings: fc.array(
    fc.record({
      at: instant,
      device: fc.nat({ max: 2 }),
      journal: fc.constantFrom('b', 'B', 'é', 'a'),
      direction: fc.constantFrom<1 | -1>(1, 1, -1, -1, -1),
    }),
    { minLength: 100, maxLength: 300, size: 'max' },
  ),
  corrections: fc.array(fc.record({ at: instant, people: fc.nat({ max: 9 }) }), { maxLength: 20 }),
  days: fc
    .tuple(fc.nat({ max: 4 }), fc.nat({ max: 4 }))
    .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const),
  hours: fc.tuple(fc.nat({ max: 120 }), fc.nat({ max: 120 })),
});

test('Amount is the occupancy of the whole store at every event, with corrections, whatever the filters, and agrees with all buckets', async () => {
  let now = Number.NaN;
  const api = await apiUnderTest({ now: () => now });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(cases, async ({ period: [timeZone, firstDay], dayStartsAt, ...given }) => {
      run += 1;
      const calendar = { timeZone, dayStartsAt };
      const begin = Date.parse(`${firstDay}T00:00Z`);
      const corrections = given.corrections.map(({ at, people }) => ({ at: begin + at, people }));
      const name = `Company ${run}`;
      const seeded = await seedCase(api, name, calendar, begin, given.crossings, corrections);
      const { ask, crossings } = seeded;
      const store = { crossings, corrections, calendar, begin };
      now = begin + 9 * 24 * hour;
      const date = (day: number) => new Date(begin + day * 24 * hour).toISOString().slice(0, 10);
      const instant = (hours: number) => new Date(begin + hours * hour).toISOString();
      const [first, last] = given.days;
      const byDate = { DateFrom: date(first), DateTo: date(last) };
      const all = naiveEvents(store);
      const ofDays = all.filter(({ day }) => day >= byDate.DateFrom && day <= byDate.DateTo);

      expect(await ask(byDate)).toEqual(ofDays.map(({ event }) => event));
      const device = { ...byDate, SerialNumber: `door-${run}-1`, In: 'false' };
      expect(await ask(device)).toEqual(
        ofDays.filter(({ crossing: c }) => c.device === 1 && c.direction === -1).map(({ event }) => event),
      );

      const [from, to] = given.hours.toSorted((a, b) => a - b).map((hours) => begin + hours * hour);
      const byTime = {
        DateFrom: instant(Math.min(...given.hours)),
        DateTo: instant(Math.max(...given.hours)),
        In: '1',
      };
      expect(await ask(byTime)).toEqual(
        all
          .filter(
            ({ crossing: { at, direction } }) => at >= Number(from) && at < Number(to) && direction === 1,
          )
          .map(({ event }) => event),
      );

      /* Within a quarter hour that has a later crossing. */
      const later = crossings.filter(({ at }) => at % (hour / 4) > 0);
      now = (later[given.hours[0] % later.length]?.at ?? begin) - 100_000;
      for (const size of ['15min', 'hour', 'day']) {
        const items = await seeded.counts(`from=${date(0)}&to=${date(4)}&bucket=${size}`);
        const buckets = items.map((item) => [Date.parse(item.from), Date.parse(item.to)] as const);
        expect(buckets.slice(1).map(([from]) => from)).toEqual(buckets.slice(0, -1).map(([, to]) => to));
        expect(items).toMatchObject(naiveBuckets(store, buckets, now));
      }
    }),
    { numRuns: 25, endOnFailure: true },
  );
});

async function seedCase(
  { seed, post, get }: ApiUnderTest,
  name: string,
  calendar: Calendar,
  begin: number,
  given: readonly { at: number; device: number; journal: string; direction: 1 | -1 }[],
  corrections: readonly NaiveCorrection[],
) {
  const companyId = await seed.company(name);
  const run = name.replace(/\D/g, '');
  const storeId = await seed.store({ companyId, sid: '1', name: 'Store', ...calendar });
  await seed.credential({ companyId, kind: 'counts', value: `token of ${name}` });
  const deviceIds: number[] = [];
  for (const n of [0, 1, 2]) {
    deviceIds.push(await seed.device({ companyId, storeId, serial: `door-${run}-${n}` }));
  }
  const sequences = new Map<string, number>();
  const crossings: NaiveCrossing[] = given.map((crossing) => {
    const journal = `${crossing.device} ${crossing.journal}`;
    sequences.set(journal, (sequences.get(journal) ?? 0) + 1);
    return { ...crossing, at: begin + crossing.at, sequence: sequences.get(journal) ?? 0 };
  });
  const journalIds = new Map<string, number>();
  /* The order of crossings of one instant is that of the ids. */
  for (const journal of [...sequences.keys()].sort()) {
    const [device, journalName] = journal.split(' ');
    journalIds.set(journal, await seed.journal(deviceIds[Number(device)] ?? 0, journalName ?? ''));
  }
  for (const { at, people } of corrections) await seed.query(correct, [storeId, new Date(at), people]);
  await seed.crossings(
    crossings.map(({ at, direction, sequence, device, journal }) => ({
      at,
      direction,
      sequence,
      storeId,
      deviceId: deviceIds[device] ?? 0,
      journalId: journalIds.get(`${device} ${journal}`) ?? 0,
    })),
  );
  const ask = async (fields: Record<string, string>) => {
    const credentials = { CompanyName: name, Token: `token of ${name}` };
    return (await post('GetCountsByCompanyAndDatePublic', { ...credentials, ...fields })).body;
  };
  const counts = async (query: string): Promise<{ from: string; to: string }[]> =>
    Object((await get(`/v1/counts?${query}`, `token of ${name}`)).body).items;
  return { ask, counts, crossings };
}

/** Enters a correction that the next round of the projector finds. */
const correct = `
  with entered as (
    insert into entry (kind, store_id, at, people, entered_by) values ('correction', $1, $2, $3, 'Kim') returning *
  )
  insert into mark (store_id, quarter) select store_id, floor(extract(epoch from at) / 900) from entered`;
