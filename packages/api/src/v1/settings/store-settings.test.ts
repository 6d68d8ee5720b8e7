import { expect, test } from 'vitest';
import { berlinStore } from '../../../test/berlin-store.ts';

async function office() {
  const store = await berlinStore();
  const { seed, companyId, storeId, ask } = store;
  const limited = { companyId, kind: 'staff', value: 'limited-token', settings: true } as const;
  await seed.credential({ companyId, kind: 'staff', value: 'office-token', label: 'office', settings: true });
  await seed.limit(await seed.credential(limited), [storeId]);
  const put = (path: string, body: unknown, credential = 'office-token') =>
    ask(path, credential, {
      method: 'PUT',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  const get = async (path: string) => Object((await ask(path, 'office-token')).body);
  return { ...store, put, get };
}

const path = '/v1/stores/S-1/settings';

test('sets the given fields and leaves the others unchanged', async () => {
  const { put, get } = await office();
  expect(await get(path)).toEqual({ capacity: null, openingHours: null, staff: null });
  const openingHours = {
    week: { monday: ['09:00-12:30', '13:30-20:00'] },
    exceptions: [{ date: '2026-12-25', open: [], note: 'Christmas' }],
  };
  const staff = { since: '2026-11-23', week: { monday: [{ at: '08:45', people: 4 }] } };
  expect((await put(path, { capacity: 40, openingHours })).body).toEqual({
    capacity: 40,
    openingHours,
    staff: null,
  });
  expect((await put(path, { staff })).body).toEqual({ capacity: 40, openingHours, staff });
  expect((await put(path, { capacity: null, openingHours: null, staff: null })).body).toEqual({
    capacity: null,
    openingHours: null,
    staff: null,
  });
});

const plan = (since: string, people: number) => ({ since, week: { monday: [{ at: '08:45', people }] } });

test('keeps the staff plan of earlier days when another one is set or ended', async () => {
  const { put, get, seed } = await office();
  const plans = async () => (await seed.query('select staff_plans from store'))[0]?.['staff_plans'];
  for (const staff of [plan('2020-11-02', 4), plan('2020-11-30', 5), plan('2020-11-16', 6)])
    await put(path, { staff });
  expect(await plans()).toEqual([plan('2020-11-02', 4), plan('2020-11-16', 6)]);
  expect(await get(path)).toMatchObject({ staff: plan('2020-11-16', 6) });

  await put(path, { staff: null });
  const ended = { since: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), week: {} };
  expect(await plans()).toEqual([plan('2020-11-02', 4), plan('2020-11-16', 6), ended]);
  expect(await get(path)).toMatchObject({ staff: null });
});

test('two requests that change other settings of a store at the same time both have an effect', async () => {
  const { put, get, seed } = await office();
  for (let n = 1; n <= 10; n += 1) {
    const openingHours = { week: { monday: [`09:00-${10 + n}:00`] } };
    const answers = await Promise.all([
      put(path, { capacity: n, staff: plan(`2026-11-${10 + n}`, n) }),
      put(path, { openingHours }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  }
  const openingHours = { week: { monday: ['09:00-20:00'] } };
  expect(await get(path)).toMatchObject({ capacity: 10, openingHours, staff: plan('2026-11-20', 10) });
  expect(await seed.query('select staff_plans from store')).toMatchObject([
    { staff_plans: expect.arrayContaining([plan('2026-11-11', 1)]) },
  ]);
});

test('names the value that cannot be used, and changes nothing', async () => {
  const { put, get } = await office();
  const wrong: readonly [unknown, string][] = [
    [{ capacity: 0 }, 'capacity'],
    [{ capacity: 5, openingHours: { week: { monday: ['9-18'] } } }, 'openingHours.week.monday[0]'],
    [
      { openingHours: { week: {}, exceptions: [{ date: '2026-02-30', open: [] }] } },
      'openingHours.exceptions[0].date',
    ],
    [
      { staff: { since: '2026-11-23', week: { monday: [{ at: '8', people: 1 }] } } },
      'staff.week.monday[0].at',
    ],
    [{ openingHours: { week: { monday: ['\u0000'] } } }, 'openingHours.week.monday[0]'],
  ];
  for (const [body, parameter] of wrong)
    expect((await put(path, body)).body).toMatchObject({ status: 400, code: 'invalid_parameter', parameter });
  expect((await put(path, [])).body).toMatchObject({ code: 'malformed_body' });
  expect(await get(path)).toEqual({ capacity: null, openingHours: null, staff: null });
});

test('refuses callers without the right to change settings, and stores that they may not see', async () => {
  const { put, ask } = await office();
  for (const credential of ['staff-token', 'acme-counts-token'])
    expect((await put(path, { capacity: 5 }, credential)).body).toMatchObject({
      status: 403,
      code: 'forbidden',
    });
  expect((await put(path, { capacity: 5 }, 'limited-token')).status).toBe(200);
  expect((await put('/v1/stores/S-2/settings', {}, 'limited-token')).body).toMatchObject({
    code: 'unknown_store',
  });
  expect((await put('/v1/alert-rules', { items: [] }, 'limited-token')).body).toMatchObject({
    code: 'forbidden',
  });
  expect((await ask('/v1/session', 'office-token')).body).toMatchObject({ settings: true });
  expect((await ask('/v1/session', 'staff-token')).body).toMatchObject({ settings: false });
});

test('sets alert rules and mail recipients, and leaves webhooks', async () => {
  const { put, get, seed, companyId } = await office();
  const rule = async (kind: string) =>
    (await get('/v1/alert-rules')).items.find((one: { kind: string }) => one.kind === kind);
  expect(await rule('beam-blocked')).toEqual({
    kind: 'beam-blocked',
    after: 30,
    threshold: null,
    enabled: false,
  });
  await put('/v1/alert-rules', {
    items: [
      { kind: 'beam-blocked', after: 90 },
      { kind: 'disk-low', threshold: '10%' },
      { kind: 'capacity-reached', after: 0, enabled: true },
    ],
  });
  expect(await rule('beam-blocked')).toMatchObject({ after: 90, enabled: true });
  await put('/v1/alert-rules', { items: [{ kind: 'beam-blocked', enabled: false }] });
  expect(await rule('beam-blocked')).toMatchObject({ after: 90, enabled: false });
  expect(await rule('disk-low')).toMatchObject({ threshold: '10%', enabled: true });
  expect(await rule('capacity-reached')).toMatchObject({ after: 0, enabled: true });
  const refused = async (...items: object[]) =>
    Object((await put('/v1/alert-rules', { items })).body).parameter;
  expect(await refused({ kind: 'disk-low', after: 5 })).toBe('items[0].after');
  expect(await refused({ kind: 'beam-blocked', threshold: '10%' })).toBe('items[0].threshold');
  expect(await refused({ kind: 'disk-low' }, { kind: 'beam-open' })).toBe('items[1].kind');
  expect(await refused({ kind: 'disk-low' }, { kind: 'disk-low' })).toBe('items[1].kind');

  await seed.query(
    `insert into alert_target (company_id, label, kind, sealed) values ($1, 'ops', 'webhook', 'x')`,
    [companyId],
  );
  const recipients = (...items: object[]) => put('/v1/alert-recipients', { items });
  await recipients({ mail: 'ann@acme.example', label: 'Ann' }, { mail: 'lee@acme.example' });
  await recipients({ mail: 'ann@acme.org', label: 'Ann', language: 'de', enabled: false });
  expect((await get('/v1/alert-recipients')).items).toEqual([
    { label: 'Ann', mail: 'ann@acme.org', language: 'de', enabled: false },
  ]);
  expect((await put('/v1/alert-recipients', { items: [{ mail: 'a@b', language: 'fr' }] })).status).toBe(400);
  const wrong = async (...items: object[]) => Object((await recipients(...items)).body).parameter;
  expect(await wrong({ mail: 'ann@acme.example, lee@acme.example' })).toBe('items[0].mail');
  expect(await wrong({ mail: 'a@b' }, { mail: 'A@b' })).toBe('items[1].mail');
  expect(await wrong({ mail: 'a@b' }, { mail: 'c@d', label: 'ops' })).toBe('items[1].label');
  expect(await seed.query('select label from alert_target order by label')).toEqual([
    { label: 'Ann' },
    { label: 'ops' },
  ]);
});

test('lists staff passages of business days, with those that were undone', async () => {
  const { send, ask } = await berlinStore();
  const enter = async (body: object) =>
    Object((await send('/v1/staff-passages', { store: 'S-1', ...body })).body);
  const first = await enter({ people: 2, at: '2026-11-19T22:59:00Z', id: 'a' });
  expect(await enter({ people: 2, at: '2026-11-19T22:59:00Z', id: 'a' })).toEqual(first);
  expect(await enter({ people: 3, id: 'a' })).toMatchObject({ status: 409, code: 'id_conflict' });
  await enter({ by: 'Kim' });
  const undo = () => send(`/v1/staff-passages/${first.id}/undo`, { by: 'Lee' });
  expect((await undo()).body).toMatchObject({ people: 2, undone: { by: 'Lee' } });
  expect((await undo()).body).toMatchObject({ code: 'already_undone' });
  expect((await send('/v1/staff-passages/99/undo', {})).body).toMatchObject({ code: 'unknown_passage' });
  const listed = async (query: string) => Object((await ask(`/v1/staff-passages?${query}`)).body).items;
  expect(await listed('from=2026-11-20')).toMatchObject([
    { store: 'S-1', at: '2026-11-20T11:20:00.000+01:00', people: 1, by: 'Kim', undone: null },
  ]);
  expect(await listed('to=2026-11-19')).toMatchObject([{ by: 'till', undone: { by: 'Lee' } }]);
});
