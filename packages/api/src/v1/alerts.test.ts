import { expect, test } from 'vitest';
import { berlinStore, now } from '../../test/berlin-store.ts';

const hour = 3_600_000;

/** A store with an open alert, one that ended an hour ago, one of two days ago; one of the company, and a test. */
async function alarmed() {
  const api = await berlinStore();
  const { seed, companyId, storeId, deviceId } = api;
  const raise = async (
    kind: string,
    raisedAt: number,
    clearedAt: number | null,
    about: object,
    of?: number,
  ) => {
    const [row] = await seed.query(
      `insert into alert (company_id, kind, subject, store_id, device_id, about, began_at, raised_at, cleared_at)
       values ($1, $2, $2 || $3, $4, $5, $6, $3::timestamptz, $3::timestamptz, $7) returning id`,
      [
        companyId,
        kind,
        new Date(raisedAt).toISOString(),
        of ?? null,
        of === undefined ? null : deviceId,
        JSON.stringify(about),
        clearedAt && new Date(clearedAt),
      ],
    );
    return String(row?.['id']);
  };
  const since = new Date(now - 3 * hour).toISOString();
  const open = await raise('device-inactive', now - 2 * hour, null, { serial: 'x', since }, storeId);
  const over = await raise(
    'capacity-reached',
    now - 3 * hour,
    now - hour,
    { occupancy: 12, capacity: 10 },
    storeId,
  );
  const old = await raise('data-overdue', now - 60 * hour, now - 48 * hour, {}, storeId);
  const company = await raise('service-unavailable', now - hour, null, { since });
  await raise('test', now, now, {}, storeId);
  const ids = async (query: string) =>
    Object((await api.ask(`/v1/alerts${query}`)).body).items.map(({ id }: { id: string }) => id);
  return { ...api, raise, ids, open, over, old, company };
}

test('lists open alerts and those that ended within a day, with their details', async () => {
  const { ask, ids, open, over, company } = await alarmed();
  expect(await ids('')).toEqual([company, open, over]);
  const { items } = Object((await ask('/v1/alerts?store=S-1')).body);
  expect(items).toEqual([
    {
      id: open,
      kind: 'device-inactive',
      store: 'S-1',
      device: 'CU-0001',
      since: '2026-11-20T08:20:00.000+01:00',
      beganAt: '2026-11-20T09:20:00.000+01:00',
      raisedAt: '2026-11-20T09:20:00.000+01:00',
      clearedAt: null,
    },
    {
      id: over,
      kind: 'capacity-reached',
      store: 'S-1',
      device: 'CU-0001',
      occupancy: 12,
      capacity: 10,
      beganAt: '2026-11-20T08:20:00.000+01:00',
      raisedAt: '2026-11-20T08:20:00.000+01:00',
      clearedAt: '2026-11-20T10:20:00.000+01:00',
    },
  ]);
});

test('lists alerts from any requested instant on, in pages', async () => {
  const { ask, ids, open, over, old, company } = await alarmed();
  expect(await ids('?from=2026-11-18T00:00:00Z')).toEqual([company, open, over, old]);
  const found: string[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const { body } = await ask(`/v1/alerts?from=2026-11-18T00:00:00Z&limit=1&after=${after}`);
    const { items, next } = Object(body);
    found.push(...items.map(({ id }: { id: string }) => id));
    after = next;
  }
  expect(found).toEqual([company, open, over, old]);
  for (const [query, parameter] of [
    ['from=yesterday', 'from'],
    ['after=x', 'after'],
  ]) {
    expect((await ask(`/v1/alerts?${query}`)).body).toMatchObject({ code: 'invalid_parameter', parameter });
  }
});

test('hides alerts of other companies, and alerts from credentials of kind life-signal', async () => {
  const { ask, seed } = await alarmed();
  const companyId = await seed.company('Other');
  await seed.credential({ companyId, kind: 'staff', value: 'staff of Other' });
  expect((await ask('/v1/alerts', 'staff of Other')).body).toEqual({ items: [], next: null });
  expect((await ask('/v1/alerts', 'acme-life-signal-key')).status).toBe(403);
});
