import { recordedHalfHours } from '@visitor-counter/test/recording';
import { expect, test } from 'vitest';
import { apiUnderTest } from '../../../test/api-under-test.ts';

/** The recording, in the local time of two stores whose clocks are 25 hours apart; twice as many people in the second. */
const sites = [
  { sid: 'E', timeZone: 'Pacific/Kiritimati', hours: 14, times: 1 },
  { sid: 'W', timeZone: 'Pacific/Pago_Pago', hours: -11, times: 2 },
] as const;
const rows = recordedHalfHours().filter(({ local }) => local >= '2005-08-28');
/** Labor Day: 14 people. */
const holiday = '2005-09-05';
const [minute, hour] = [60_000, 3_600_000];
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

function crossingsOf({ hours, times }: (typeof sites)[number], until: number) {
  return rows
    .flatMap(({ local, in: came, out }) => {
      const begin = Date.parse(`${local}Z`) - hours * hour;
      const spread = (people: number, direction: 1 | -1) =>
        Array.from({ length: people }, (_, n) => ({
          at: begin + Math.floor((n * 30 * minute) / people),
          direction,
        }));
      return [...spread(came * times, 1), ...spread(out * times, -1)];
    })
    .filter(({ at }) => at < until)
    .sort((a, b) => a.at - b.at);
}

/** Who came in on a date, counted by hand. */
const on = (date: string) =>
  rows.filter(({ local }) => local.startsWith(date)).reduce((sum, { in: came }) => sum + came, 0);

/** The last eight days of the same weekday that were no holidays. */
function normalOn(date: string) {
  const before = Array.from({ length: 9 }, (_, n) =>
    new Date(Date.parse(date) - 7 * (n + 1) * 24 * hour).toISOString().slice(0, 10),
  );
  const counts = before
    .filter((one) => one !== holiday)
    .slice(0, 8)
    .map(on);
  return { low: Math.min(...counts), high: Math.max(...counts) };
}

async function twoStores(clock: { now: number }) {
  const api = await apiUnderTest({ now: () => clock.now });
  const companyId = await api.seed.company('Acme');
  await api.seed.credential({ companyId, kind: 'counts', value: 'token' });
  const hours = {
    week: Object.fromEntries(weekdays.map((weekday) => [weekday, ['00:00-24:00']])),
    exceptions: [{ date: holiday, open: ['08:00-12:00'] }],
  };
  for (const site of sites) {
    const storeId = await api.seed.store({ companyId, sid: site.sid, timeZone: site.timeZone });
    const deviceId = await api.seed.device({
      companyId,
      storeId,
      serial: `CU-${site.sid}`,
      registeredAt: Date.parse('2005-08-01'),
    });
    /* A journal for each week: it takes longer to check a journal with more than some thousand crossings. */
    const weeks = Map.groupBy(crossingsOf(site, clock.now), ({ at }) => Math.floor(at / (168 * hour)));
    for (const [week, some] of weeks) {
      const of = { storeId, deviceId, journalId: await api.seed.journal(deviceId, `j${week}`) };
      await api.seed.crossings(some.map((one, index) => ({ ...of, ...one, sequence: index + 1 })));
    }
    const [week, { length: recorded }] = [...weeks].at(-1) ?? [0, []];
    await api.seed.query('update store set opening_hours = $2 where id = $1', [storeId, hours]);
    const heartbeat = { at: clock.now, journal: `j${week}`, recorded, acknowledged: recorded };
    await api.seed.query('update device_state set heartbeat_at = $2, heartbeat = $3 where device_id = $1', [
      deviceId,
      new Date(clock.now),
      heartbeat,
    ]);
  }
  const ask = async (query: string) =>
    Object((await api.get(`/v1/visitors/last-day${query}`, 'token')).body).day;
  return { ask, seed: api.seed };
}

test('returns the last day that is over in all stores, and what is normal, as counted by hand from the recording', async () => {
  /* In the west, 2 November has begun half an hour ago; in the east it ended more than an hour ago. */
  const clock = { now: Date.parse('2005-11-02T11:30:00Z') };
  const { ask, seed } = await twoStores(clock);
  const tuesday = '2005-11-01';
  const { low, high } = normalOn(tuesday);
  expect(on(tuesday)).toBeGreaterThan(high);
  expect(await ask('')).toMatchObject({
    date: tuesday,
    visitors: 3 * on(tuesday),
    normal: { low: 3 * low, high: 3 * high },
    stores: 2,
    leftOut: 0,
    unusual: { store: 'E', visitors: on(tuesday), normal: { low, high } },
  });
  const wednesday = '2005-11-02';
  expect(await ask('?store=E')).toMatchObject({
    date: wednesday,
    visitors: on(wednesday),
    normal: normalOn(wednesday),
    unusual: null,
  });

  clock.now -= hour;
  const monday = '2005-10-31';
  const normal = normalOn(monday);
  expect(await ask('?store=W')).toMatchObject({
    date: monday,
    visitors: 2 * on(monday),
    normal: { low: 2 * normal.low, high: 2 * normal.high },
  });

  await seed.query(`update device_state set heartbeat_at = '2005-10-31T00:00Z'`);
  expect(await ask('')).toBeNull();
});
