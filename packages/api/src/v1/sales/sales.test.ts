import { expect, test } from 'vitest';
import { berlinStore } from '../../../test/berlin-store.ts';
import { givenLines } from '../routing/given-lines.ts';
import { salesList } from './given-sales.ts';

const tills = 'tills-token';

async function withTills() {
  const world = await berlinStore();
  const { seed, companyId } = world;
  const twin = await seed.store({ companyId, sid: 'S-2', timeZone: 'America/Los_Angeles' });
  await seed.credential({ companyId, kind: 'sales', value: tills });
  const sendCsv = (body: string) =>
    world.ask('/v1/sales', tills, { method: 'POST', body, headers: { 'content-type': 'text/csv' } });
  const sendItems = (...items: readonly unknown[]) => world.send('/v1/sales', { items }, tills);
  const list = async (query = '') => Object((await world.ask(`/v1/sales?${query}`, tills)).body).items;
  return { ...world, twin, sendCsv, sendItems, list };
}

const sale = { store: 'S-1', at: '2026-11-20T10:00:00+01:00', transactions: 4, amount: 99.95 };
const stored = {
  ...sale,
  at: '2026-11-20T10:00:00.000+01:00',
  amount: '99.95',
  id: '2026-11-20T09:00:00.000Z',
};

test('stores an entry once, and replaces it when the same key comes with another content', async () => {
  const { sendItems, list } = await withTills();
  expect((await sendItems(sale)).body).toEqual({ stored: 1, replaced: 0, unchanged: 0 });
  expect((await sendItems({ ...sale, amount: '99.95' })).body).toMatchObject({ unchanged: 1 });
  expect(await list()).toEqual([stored]);
  const changed = { ...sale, transactions: 5, amount: '-0.05' };
  expect((await sendItems(changed, { ...sale, id: 'x' })).body).toEqual({
    stored: 1,
    replaced: 1,
    unchanged: 0,
  });
  expect(await list()).toEqual([
    { ...stored, transactions: 5, amount: '-0.05' },
    { ...stored, id: 'x' },
  ]);
});

test('reads CSV of a spreadsheet: semicolons, decimal commas, local times, other columns, in any order', async () => {
  const { sendCsv, list } = await withTills();
  const text = [
    '\uFEFFId;Store;Cashier;Amount;At;Transactions',
    'a;S-1;Kim;1250,5;2026-11-20 10:00;12',
    '',
    'b;"S-2";"Ann; Bo";-7;2026-11-20T01:30:00;1',
  ].join('\r\n');
  expect((await sendCsv(text)).body).toEqual({ stored: 2, replaced: 0, unchanged: 0 });
  expect(await list()).toEqual([
    { store: 'S-1', at: '2026-11-20T10:00:00.000+01:00', transactions: 12, amount: '1250.50', id: 'a' },
    { store: 'S-2', at: '2026-11-20T01:30:00.000-08:00', transactions: 1, amount: '-7.00', id: 'b' },
  ]);
});

test('names line, field, value and expectation of every mistake, and stores nothing', async () => {
  const { sendCsv, sendItems, list } = await withTills();
  const text = [
    'store,at,transactions,amount',
    'S-1,2026-11-20T10:00:00Z,4,12.50',
    'S-9,2026-02-30T10:00:00Z,-1,12.345',
    'S-1,2026-11-20T10:00:00Z,4,12.50',
    'S-1,2027-11-20T10:00:00Z,1e3,"1,250.50"',
  ].join('\n');
  const { status, body } = await sendCsv(text);
  expect([status, Object(body).code]).toEqual([400, 'invalid_lines']);
  expect(Object(body).detail).toMatch(
    /^Line 3: store is "S-9", and must be .* 3 lines cannot be used\. Nothing was stored\.$/,
  );
  const places = Object(body).errors.map((one: { line: number; field: string; value: string }) => [
    one.line,
    one.field,
    one.value,
  ]);
  expect(places).toEqual([
    [3, 'store', 'S-9'],
    [3, 'at', '2026-02-30T10:00:00Z'],
    [3, 'transactions', '-1'],
    [3, 'amount', '12.345'],
    [4, 'at', '2026-11-20T10:00:00Z'],
    [5, 'at', '2027-11-20T10:00:00Z'],
    [5, 'transactions', '1e3'],
    [5, 'amount', '1,250.50'],
  ]);
  const mistaken = await sendItems(sale, { ...sale, at: 5, id: 'a\0', amount: null }, 7);
  const { errors } = Object(mistaken.body);
  expect(errors.map(({ line, field }: { line: number; field: string }) => `${line} ${field}`)).toEqual([
    '2 at',
    '2 amount',
    '2 id',
    '3 store',
    '3 at',
    '3 transactions',
    '3 amount',
  ]);
  expect(await list()).toEqual([]);
});

test('counts entries before it reads them', () => {
  const unread = {
    get store(): string {
      throw new Error('read');
    },
  };
  const tooMany = expect.objectContaining({ message: expect.stringMatching(/^items has 5001 items/) });
  expect(() => givenLines(Array(5_001).fill(unread), salesList)).toThrow(tooMany);
  const csv = `store,at,transactions,amount\n${'not four values\n'.repeat(5_001)}`;
  expect(() => givenLines(csv, salesList)).toThrow(tooMany);
});

test('a credential of kind sales opens sales and nothing else', async () => {
  const { ask } = await withTills();
  const others = [
    'session',
    'stores',
    'devices',
    'occupancy',
    'counts',
    'crossings',
    'corrections',
    'alerts',
    'live',
  ];
  const statuses = await Promise.all(others.map(async (path) => (await ask(`/v1/${path}`, tills)).status));
  expect(new Set(statuses)).toEqual(new Set([403]));
  expect((await ask('/v1/sales', tills)).status).toBe(200);
});

test('lists the business days that are requested, page by page', async () => {
  const { sendItems, list, ask } = await withTills();
  const days = ['2026-11-18', '2026-11-19', '2026-11-20'];
  await sendItems(...days.map((day) => ({ ...sale, at: `${day}T00:00:00+01:00` })), {
    ...sale,
    store: 'S-2',
    amount: '-99.95',
  });
  expect(await list()).toHaveLength(2);
  const { items, next } = Object((await ask('/v1/sales?from=2026-11-18&limit=2&store=S-1', tills)).body);
  const rest = Object((await ask(`/v1/sales?from=2026-11-18&store=S-1&after=${next}`, tills)).body);
  expect([...items, ...rest.items].map(({ at }: { at: string }) => at.slice(0, 10))).toEqual(days);
  expect(rest.next).toBeNull();
  const positions = [
    [0, -1e300, 'x'],
    [1e300, 2 ** 31, 'x'],
    [0, 1, '\0'],
    [-1e300, 1],
  ];
  const cursors = positions.map((position) => Buffer.from(JSON.stringify(position)).toString('base64url'));
  for (const cursor of ['x', ...cursors])
    expect((await ask(`/v1/sales?after=${cursor}`, tills)).body).toMatchObject({ parameter: 'after' });
  for (const at of [1e300, -1e300]) {
    const far = Buffer.from(JSON.stringify([at, 1, 'x'])).toString('base64url');
    expect((await ask(`/v1/sales?after=${far}`, tills)).status).toBe(200);
  }
  const csv = await ask('/v1/sales?store=S-2', tills, { headers: { accept: 'text/csv' } });
  expect(csv.text).toBe(
    'store,at,transactions,amount,id\r\nS-2,2026-11-20T01:00:00.000-08:00,4,-99.95,2026-11-20T09:00:00.000Z\r\n',
  );
});
