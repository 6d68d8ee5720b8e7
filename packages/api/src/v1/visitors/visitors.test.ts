import { expect, test } from 'vitest';
import { apiUnderTest } from '../../../test/api-under-test.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
/** Wednesday; clocks were set back on the Sunday before, in Europe, and will be on the next, in Newfoundland. */
const now = Date.parse('2026-10-28T10:22:37Z');
const begin = Date.parse('2026-09-20T00:00:00Z');
const sites = [
  { sid: 'B', timeZone: 'Europe/Berlin', dayStartsAt: '00:00' },
  { sid: 'J', timeZone: 'America/St_Johns', dayStartsAt: '02:30' },
  { sid: 'L', timeZone: 'Australia/Lord_Howe', dayStartsAt: '04:15' },
] as const;

type Site = (typeof sites)[number];
interface Event {
  readonly sid: string;
  readonly at: number;
  readonly direction: 1 | -1;
}

/** Wall clock time `YYYY-MM-DDTHH:MM`. */
const clocks = new Map<string, Intl.DateTimeFormat>();
function local(at: number, timeZone: string): string {
  const hourCycle = 'h23';
  const clock =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, hourCycle, dateStyle: 'short', timeStyle: 'short' });
  clocks.set(timeZone, clock);
  return clock.format(at).replace(' ', 'T');
}

const shifted = (date: string, days: number) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * day).toISOString().slice(0, 10);

/** The business day, and when on it, so that later times of a day sort later. */
function wall({ timeZone, dayStartsAt }: Site, at: number): { date: string; time: string } {
  const [date = '', time = ''] = local(at, timeZone).split('T');
  return time < dayStartsAt ? { date: shifted(date, -1), time: `next ${time}` } : { date, time: `0 ${time}` };
}

/** Entries, or exits, of events in business days, and on the last of them until a time. */
function count(
  events: readonly Event[],
  direction: 1 | -1,
  from: string,
  to: string,
  until = 'z',
  keyOf = (_: string, __: string) => '',
) {
  const counts: Record<string, number> = {};
  for (const event of events) {
    const site = sites.find(({ sid }) => sid === event.sid) ?? sites[0];
    const { date, time } = wall(site, event.at);
    if (event.direction !== direction || date < from || date > to || (date === to && time >= until)) continue;
    const key = keyOf(date, local(event.at, site.timeZone));
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

/** The body of an answer. */
type Answered = ReturnType<ObjectConstructor>;

async function company() {
  const api = await apiUnderTest({ now: () => now });
  const companyId = await api.seed.company('Acme');
  await api.seed.credential({ companyId, kind: 'counts', value: 'token' });
  const doors = new Map<string, { storeId: number; deviceId: number; journalId: number }>();
  for (const { sid, timeZone, dayStartsAt } of sites) {
    const storeId = await api.seed.store({ companyId, sid, timeZone, dayStartsAt });
    const deviceId = await api.seed.device({ companyId, storeId, serial: `CU-${sid}`, registeredAt: begin });
    doors.set(sid, { storeId, deviceId, journalId: await api.seed.journal(deviceId, 'j') });
  }
  await api.seed.query('update device_state set heartbeat_at = $1, heartbeat = $2', [
    new Date(now),
    JSON.stringify({ at: now, journal: 'j', recorded: 0, acknowledged: 0 }),
  ]);
  const events: Event[] = [];
  const cross = async (more: readonly Event[]) => {
    const rows = more.map(({ sid, at, direction }, index) => {
      const door = doors.get(sid) ?? { storeId: 0, deviceId: 0, journalId: 0 };
      return { ...door, at, direction, sequence: events.length + index + 1 };
    });
    events.push(...more);
    await api.seed.crossings(rows);
  };
  const ask = async (query: string): Promise<Answered> => {
    const { status, body } = await api.get(`/v1/visitors${query}`, 'token');
    expect(status).toBe(200);
    return Object(body);
  };
  return { events, cross, ask };
}

/** Some hundred people in each store, mostly by day, and more of them in the nights in which clocks change. */
function people(first: number, seed: number): Event[] {
  let state = seed;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  return Array.from({ length: 1_800 }, (_, index): Event => {
    const site = sites[index % 3] ?? sites[0];
    const isNight = index % 9 < 3;
    const from = isNight ? Date.parse('2026-10-24T22:00:00Z') : first;
    const at = Math.floor(from + random() * (isNight ? 6 * 60 * minute : now - first));
    return { sid: site.sid, at: at - (at % 7 === 0 ? at % minute : 0), direction: random() < 0.6 ? 1 : -1 };
  });
}

const hourKey = (_date: string, time: string) => time.slice(0, 13);

test('equals plain counting in every bucket over a change of the clocks, also with late data', async () => {
  const { events, cross, ask } = await company();
  await cross(people(begin, 7));
  const check = async () => {
    for (const site of sites) {
      const own = events.filter(({ sid }) => sid === site.sid);
      const { date: today } = wall(site, now);
      const range = `?store=${site.sid}&from=2026-10-12&to=${today}&compare=weekdays`;
      const days = await ask(`${range}&bucket=day`);
      const expected = count(own, 1, '2026-10-12', today, 'z', (date) => date);
      expect(counted(days, 'date')).toEqual(expected);
      const length = (Date.parse(today) - Date.parse('2026-10-12')) / day + 1;
      const back = 7 * Math.ceil(length / 7);
      const until = untilOf(site);
      expect(days.compared.until?.slice(11)).toBe(local(now, site.timeZone).slice(11));
      const before = count(own, 1, shifted('2026-10-12', -back), shifted(today, -back), until, (date) =>
        shifted(date, back),
      );
      expect(beforeBy(days.items, 'date')).toEqual(before);
      expect(days.total).toMatchObject({
        visitors: sum(expected),
        out: sum(count(own, -1, '2026-10-12', today)),
        before: sum(before),
      });
      for (const bucket of ['week', 'month']) {
        const answer = await ask(`${range}&bucket=${bucket}`);
        expect(answer.total).toEqual(days.total);
        expect(answer.days).toEqual(days.days);
        const first = (date: string) => (bucket === 'month' ? `${date.slice(0, 8)}01` : monday(date));
        const by = (date: string) => (first(date) < '2026-10-12' ? '2026-10-12' : first(date));
        expect(counted(answer, 'date')).toEqual(count(own, 1, '2026-10-12', today, 'z', by));
      }
    }
    const [{ sid }] = sites;
    const own = events.filter((event) => event.sid === sid);
    const hours = await ask(`?store=${sid}&from=2026-10-24&to=2026-10-26&bucket=hour`);
    expect(hours.items).toHaveLength(24 + 25 + 24);
    expect(counted(hours, 'from', 13)).toEqual(count(own, 1, '2026-10-24', '2026-10-26', 'z', hourKey));
    await checkWeek(own, await ask(`/week?store=${sid}&from=2026-10-05&to=2026-10-18`));
    await checkStores(events, ask);
  };
  await check();
  const late = people(Date.parse('2026-10-01T00:00:00Z'), 99);
  await cross(late);
  await check();
});

/** The average of each hour of two weeks. */
async function checkWeek(events: readonly Event[], week: Answered): Promise<void> {
  const byHour = count(events, 1, '2026-10-05', '2026-10-18', 'z', (date, time) => {
    return `${new Date(date).getUTCDay() || 7} ${Number(time.slice(11, 13))}`;
  });
  expect(week.items).toHaveLength(7 * 24);
  for (const { weekday, hour, days, visitors } of week.items) {
    expect([days, visitors]).toEqual([2, (byHour[`${weekday} ${hour}`] ?? 0) / 2]);
  }
  expect(week['peak'].visitors).toBe(Math.max(...Object.values(byHour)) / 2);
}

/** Each store and the sum of all, and their doors. */
async function checkStores(events: readonly Event[], ask: (query: string) => Promise<Answered>) {
  const range = 'from=2026-10-19&to=2026-10-25';
  const { items, ...stores } = await ask(`/stores?${range}&compare=weekdays`);
  const all = await ask(`?${range}&bucket=day&compare=weekdays`);
  const of = (sid: string, direction: 1 | -1, from: string, to: string) =>
    sum(
      count(
        events.filter((event) => event.sid === sid),
        direction,
        from,
        to,
      ),
    );
  for (const [index, { sid }] of sites.entries()) {
    const [visitors, out] = [of(sid, 1, '2026-10-19', '2026-10-25'), of(sid, -1, '2026-10-19', '2026-10-25')];
    const before = of(sid, 1, '2026-10-12', '2026-10-18');
    expect(items[index]).toMatchObject({ store: sid, visitors, out, before, incomplete: [], open: null });
    const doors = await ask(`/doors?store=${sid}&${range}&compare=weekdays`);
    const door = { device: `CU-${sid}`, name: `CU-${sid}` };
    expect(doors.items).toEqual([{ ...door, in: visitors, out, before, incomplete: [] }]);
  }
  const total = count(events, 1, '2026-10-19', '2026-10-25', 'z', (date) => date);
  expect(counted(all, 'date')).toEqual(total);
  const { before } = all['total'];
  expect(stores['total']).toMatchObject({ visitors: sum(total), comparable: sum(total), before });
  expect(all['days']).toMatchObject({ counted: 7, average: Math.round((10 * sum(total)) / 7) / 10 });
}

/** Of the present business day, sorted as `wall` does. */
function untilOf(site: Site): string {
  return wall(site, now).time;
}

const monday = (date: string) => shifted(date, -((new Date(date).getUTCDay() + 6) % 7));

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, number) => total + number, 0);
}

/** Visitors by a field of the items, without those that have none. */
function counted({ items }: Answered, field: string, length = 99): Record<string, number> {
  const found: Record<string, number> = {};
  for (const item of items) {
    const key = String(item[field]).slice(0, length);
    if (item['visitors'] !== 0) found[key] = (found[key] ?? 0) + Number(item['visitors']);
  }
  return found;
}

function beforeBy(items: Record<string, unknown>[], field: string): Record<string, number> {
  return Object.fromEntries(
    items
      .filter(({ before }) => before !== 0 && before !== null)
      .map((item) => [item[field], item['before']]),
  ) as Record<string, number>;
}
