import { enterEntry } from '@visitor-counter/database/entries/entries';
import { openClient, planByKeys } from '@visitor-counter/database/sql/open-client';
import { preparedOn } from '@visitor-counter/database/sql/query-builder';
import { localDateAt } from '@visitor-counter/domain/time-zone';
import { kim } from '@visitor-counter/test/author';
import { connected } from '@visitor-counter/test/connected';
import { projected } from '@visitor-counter/test/projected';
import { removeAllOld } from '@visitor-counter/test/remove-all-old';
import { untilTransactionsEnd } from '@visitor-counter/test/until-transactions-end';
import { expect, onTestFinished, test } from 'vitest';
import { credentials, cross, type OneStore, oneStore } from '../../test/one-store.ts';

const hour = 60 * 60_000;
const day = 24 * hour;

/** A store in Berlin with a crossing on each of 80 days, the last one yesterday, each at 10:00 UTC. */
async function withRetention() {
  const now = Date.now();
  const api = await oneStore({ now: () => now });
  const last = Math.floor(now / day) * day - day + 10 * hour;
  const instants = Array.from({ length: 80 }, (_, index) =>
    new Date(last - (79 - index) * day).toISOString(),
  );
  await cross(
    api,
    instants.map((at) => [at, 1] as const),
  );
  const [horizon] = await api.seed.query('select horizon(1) as at');
  const kept = Number(horizon?.['at']);
  const date = (days: number) => localDateAt(kept + days * day, 'UTC');
  const range = (DateFrom: string) =>
    api.post('GetCountsByCompanyAndDatePublic', {
      ...credentials,
      DateFrom,
      DateTo: localDateAt(last, 'UTC'),
    });
  const read = async (query: string) => {
    const answer = await api.get(`/v1/crossings?${query}`);
    return { ...Object(answer.body), status: answer.status };
  };
  /** How many crossings happened from an instant on. */
  const since = (at: number) => instants.filter((instant) => Date.parse(instant) >= at).length;
  return { ...api, kept, date, range, read, since };
}

async function keepOneMonth({ databaseUrl, seed }: OneStore) {
  const stored = () => seed.query('select from crossing');
  const before = await stored();
  await seed.query('update company set retention_months = 1');
  await untilTransactionsEnd(databaseUrl);
  const client = await openClient({ connectionString: databaseUrl }, planByKeys);
  onTestFinished(() => client.end());
  await removeAllOld(preparedOn(client));
  expect((await stored()).length).toBeLessThan(before.length);
}

test('ranges before the crossings that are kept are an error, and the days from then on are answered', async () => {
  const api = await withRetention();
  await keepOneMonth(api);

  /* In Berlin a day begins before midnight of UTC. */
  const refused = await api.range(api.date(0));
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({ code: 'crossings_removed', parameter: 'DateFrom' });
  expect(refused.text).toContain(`ranges begin on ${api.date(1)} or later`);
  const answered = await api.range(api.date(1));
  expect(answered.status).toBe(200);
  expect(answered.body).toHaveLength(api.since(api.kept + day));
});

test('counts stay when crossings are deleted, except the people before a correction in a quarter hour without them', async () => {
  const api = await withRetention();
  const { storeId, companyId } = api;
  const credentialId = await api.seed.credential({ companyId, kind: 'staff', value: 'staff' });
  const correction = { author: kim, credentialId, storeId, people: 4 };
  const { kysely } = connected(api.databaseUrl);
  const ofDeleted = api.kept - 3 * day + 10 * hour + 5 * 60_000;
  for (const at of [ofDeleted, ofDeleted + 2 * hour, ofDeleted + 4 * day])
    await enterEntry(kysely, 'correction', { ...correction, at });
  await projected(api.databaseUrl);
  const counts = (query: string) =>
    api.get(`/v1/counts?from=${api.date(-9)}&to=${api.date(3)}&bucket=${query}`);
  const all = async () => {
    const answers = await Promise.all(['15min', 'hour', 'day', 'day&by=device'].map(counts));
    return answers.map(({ body }) => Object(body).items);
  };
  const before = await all();
  const corrected = (items: { corrections: { was: number }[] }[]) =>
    items.flatMap(({ corrections }) => corrections.map(({ was }) => was));
  expect(corrected(before[0])).toEqual([1, 4, 1]);
  await keepOneMonth(api);

  const after = await all();
  expect(corrected(after[0])).toEqual([0, 4, 1]);
  const wasUnknown = (key: string, value: unknown) => (key === 'was' ? undefined : value);
  expect(JSON.stringify(after, wasUnknown)).toBe(JSON.stringify(before, wasUnknown));
});

test('a cursor before deleted crossings continues with those that are left, and a reader may begin there', async () => {
  const api = await withRetention();
  await untilTransactionsEnd(api.databaseUrl);
  const few = await api.read('limit=10');
  const all = await api.read('limit=1000');
  expect(all.items).toHaveLength(80);
  await keepOneMonth(api);
  const left = api.since(api.kept - day);

  expect((await api.read(`limit=1000&after=${few.next}`)).items).toHaveLength(left);
  expect(await api.read(`after=${all.next}`)).toMatchObject({ status: 200, items: [], more: false });
  expect((await api.read('limit=1000')).items).toHaveLength(left);
  const before = new Date(api.kept - 1).toISOString();
  expect(await api.read(`from=${before}`)).toMatchObject({ status: 400, code: 'crossings_removed' });
  const from = new Date(api.kept).toISOString();
  expect((await api.read(`limit=1000&from=${from}`)).items).toHaveLength(left);
});

test('a range begins in each store with the first whole day that is kept there', async () => {
  const api = await withRetention();
  const { seed, companyId } = api;
  const storeId = await seed.store({ companyId, sid: 'S-2', timeZone: 'UTC' });
  await seed.device({ companyId, storeId, serial: 'CU-0002' });
  await keepOneMonth(api);

  for (const days of [-1, 0])
    expect((await api.range(api.date(days))).text).toContain(`ranges begin on ${api.date(1)} or later`);
  const range = {
    ...credentials,
    SerialNumber: 'CU-0002',
    DateFrom: api.date(0),
    DateTo: api.date(20),
  };
  expect((await api.post('GetCountsBySerialNumberAndDatePublic', range)).status).toBe(200);
});
