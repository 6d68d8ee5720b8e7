import { expect, test } from 'vitest';
import { answerTo } from '../testing/api-under-test.ts';
import { cross, oneStore, token } from '../testing/one-store.ts';

const now = Date.parse('2026-11-20T10:20:00Z');

/** A store in Berlin with some crossings today and a week ago, and a way to ask for it. */
async function store() {
  const api = await oneStore({ now: () => now });
  await api.seed.credential({ companyId: api.companyId, kind: 'staff', value: 'staff-token', label: 'till' });
  await cross(api, [
    ['2026-11-13T08:05:00Z', 1],
    ['2026-11-13T08:10:00Z', 1],
    ['2026-11-13T08:50:00Z', -1],
    ['2026-11-20T08:05:00Z', 1],
    ['2026-11-20T08:10:00Z', 1],
    ['2026-11-20T08:40:00Z', -1],
    ['2026-11-20T10:10:00Z', 1],
  ]);
  const base = `http://127.0.0.1:${api.port}`;
  const ask = (path: string, credential = token, init: RequestInit = {}) =>
    answerTo(`${base}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${credential}`, ...init.headers },
    });
  const send = (path: string, body: unknown, credential = 'staff-token') =>
    ask(path, credential, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  return { ...api, ask, send };
}

test('lists stores, and one of them', async () => {
  const { ask } = await store();
  const item = {
    ...{ sid: 'S-1', name: 'Main Door', address: '1 High St', city: 'Irvine', timeZone: 'Europe/Berlin' },
    ...{ dayStartsAt: '00:00', capacity: null, groups: ['West'] },
  };
  expect((await ask('/v1/stores')).body).toEqual({ items: [item], next: null });
  expect((await ask('/v1/stores/S-1')).body).toEqual(item);
  expect((await ask('/v1/stores/S-2')).body).toMatchObject({ status: 404, code: 'unknown_store' });
});

test('gives lists in pages', async () => {
  const { ask, seed, companyId } = await store();
  for (const sid of ['S-10', 'a/b', 'Ä']) await seed.store({ companyId, sid });
  const sids: unknown[] = [];
  for (let path: string | undefined = '/v1/stores?limit=2'; path; ) {
    const { body } = await ask(path);
    const { items, next } = Object(body);
    sids.push(items.map(({ sid }: { sid: string }) => sid));
    path = next === null ? undefined : `/v1/stores?limit=2&after=${encodeURIComponent(next)}`;
  }
  expect(sids).toEqual([
    ['S-1', 'S-10'],
    ['a/b', 'Ä'],
  ]);
  expect((await ask('/v1/stores/a%2Fb')).body).toMatchObject({ sid: 'a/b' });
});

test('counts by hour in the time of the store, with the week before', async () => {
  const { ask } = await store();
  const { body } = await ask('/v1/counts?bucket=hour&compare=week');
  const { items } = Object(body);
  expect(items).toHaveLength(12);
  expect(items[9]).toEqual({
    ...{ store: 'S-1', date: '2026-11-20' },
    ...{ from: '2026-11-20T09:00:00.000+01:00', to: '2026-11-20T10:00:00.000+01:00' },
    ...{ in: 2, out: 1, occupancy: 1, peak: 2 },
    before: { in: 2, out: 1, occupancy: 1, peak: 2 },
  });
  expect(items[11]).toMatchObject({ in: 1, out: 0, occupancy: 2, peak: 2, before: { in: 0, occupancy: 1 } });
});

test('counts by device, by group and by day', async () => {
  const { ask } = await store();
  const of = async (query: string) => Object((await ask(`/v1/counts?${query}`)).body).items;
  expect(await of('bucket=day&by=device&from=2026-11-13&to=2026-11-13')).toEqual([
    {
      ...{ device: 'CU-0001', store: 'S-1', date: '2026-11-13', in: 2, out: 1 },
      ...{ from: '2026-11-13T00:00:00.000+01:00', to: '2026-11-14T00:00:00.000+01:00' },
    },
  ]);
  expect(await of('bucket=day&by=group&group=West&compare=week')).toEqual([
    {
      ...{ group: 'West', date: '2026-11-20', from: '2026-11-20T00:00', to: '2026-11-21T00:00' },
      ...{ in: 3, out: 1, occupancy: 2, before: { in: 2, out: 1, occupancy: 1 } },
    },
  ]);
});

test('has as many buckets as the day is long where clocks are set', async () => {
  const { ask } = await store();
  const count = async (date: string, bucket: string) =>
    Object((await ask(`/v1/counts?bucket=${bucket}&from=${date}&to=${date}`)).body).items.length;
  expect(await count('2026-03-29', '15min')).toBe(92);
  expect(await count('2026-10-25', '15min')).toBe(100);
  expect(await count('2026-10-25', 'hour')).toBe(25);
});

test('says which parameter is wrong, and what was expected', async () => {
  const { ask } = await store();
  const wrong = {
    '/v1/counts?bucket=minute': 'bucket',
    '/v1/counts?from=2026-02-30': 'from',
    '/v1/counts?from=2026-11-20&to=2026-11-19': 'from',
    '/v1/stores?limit=0': 'limit',
    '/v1/stores?limit=x': 'limit',
    '/v1/crossings?after=x': 'after',
  };
  for (const [path, parameter] of Object.entries(wrong)) {
    expect((await ask(path)).body).toMatchObject({ status: 400, code: 'invalid_parameter', parameter });
  }
  expect((await ask('/v1/stores?limit=1&limit=2')).body).toMatchObject({ code: 'duplicate_parameter' });
  expect((await ask('/v1/counts?from=1990-01-01&bucket=15min')).body).toMatchObject({
    code: 'range_too_large',
  });
  expect((await ask('/v1/nothing')).status).toBe(404);
  expect((await ask('/v1/stores', token, { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD');
});

test('reads on in crossings where the last answer ended', async () => {
  const { ask } = await store();
  const first = Object((await ask('/v1/crossings?limit=6')).body);
  const second = Object((await ask(`/v1/crossings?after=${first.next}`)).body);
  expect([first.items.length, first.more, second.items.length, second.more]).toEqual([6, true, 1, false]);
  expect(second.items[0]).toEqual({
    ...{ store: 'S-1', device: 'CU-0001', journal: 'journal-a', sequence: 7, direction: 'in' },
    ...{ at: '2026-11-20T11:10:00.000+01:00', uncertaintyMs: null },
  });
  expect(Object((await ask(`/v1/crossings?after=${second.next}`)).body).items).toEqual([]);
});

test('writes lists as CSV, and the way to the next page as a link', async () => {
  const { ask } = await store();
  const { text, headers } = await ask('/v1/crossings?limit=1', token, { headers: { accept: 'text/csv' } });
  expect(text).toBe(
    'store,device,journal,sequence,at,direction,uncertaintyMs\r\n' +
      'S-1,CU-0001,journal-a,1,2026-11-13T09:05:00.000+01:00,in,\r\n',
  );
  expect(headers.get('link')).toMatch(/^<\/v1\/crossings\?limit=1&after=[-\d.]+>; rel="next"$/);
});

test('opens by the kind of credential, and to nobody without one', async () => {
  const { ask, seed, companyId } = await store();
  await seed.credential({ companyId, kind: 'counts', value: 'over', expiresAt: now });
  const statuses = async (credential: string) =>
    Promise.all(
      ['stores', 'devices', 'occupancy', 'counts', 'crossings', 'corrections', 'session'].map(
        async (path) => (await ask(`/v1/${path}`, credential)).status,
      ),
    );
  expect(await statuses(token)).toEqual([200, 200, 200, 200, 200, 200, 200]);
  expect(await statuses('staff-token')).toEqual([200, 200, 200, 200, 200, 200, 200]);
  expect(await statuses('acme-life-signal-key')).toEqual([200, 200, 403, 403, 403, 403, 200]);
  expect(await statuses('nonsense')).toEqual([401, 401, 401, 401, 401, 401, 401]);
  expect(await statuses('over')).toEqual([401, 401, 401, 401, 401, 401, 401]);
});

test('sets the number as staff counted it, and takes that back', async () => {
  const { ask, send, post } = await store();
  const occupancy = async () => Object((await ask('/v1/occupancy')).body).items[0];
  expect(await occupancy()).toMatchObject({ occupancy: 2, lastChangeAt: '2026-11-20T11:10:00.000+01:00' });

  const at = '2026-11-20T10:15:00Z';
  const entered = await send('/v1/corrections', {
    store: 'S-1',
    people: 7,
    by: ' Kim ',
    note: 'counted',
    at,
  });
  expect(entered.status).toBe(201);
  const correction = {
    ...{ store: 'S-1', at: '2026-11-20T11:15:00.000+01:00', people: 7, by: 'Kim', note: 'counted' },
    ...{ credential: 'till', undone: null },
  };
  expect(entered.body).toMatchObject(correction);
  expect(await occupancy()).toMatchObject({ occupancy: 7, lastChangeAt: '2026-11-20T11:15:00.000+01:00' });
  expect(Object((await ask('/v1/counts')).body).items[11]).toMatchObject({ in: 1, occupancy: 7, peak: 7 });
  expect(Object((await ask('/v1/corrections')).body).items).toMatchObject([correction]);
  const today = await post('GetAllCountsByCompanyForTodayPublic', { CompanyName: 'Acme', Token: token });
  expect(today.body).toMatchObject([{ Amount: 7 }]);

  const { id } = Object(entered.body);
  const undo = () => send(`/v1/corrections/${id}/undo`, { by: 'Lee', note: 'wrong store' });
  expect((await undo()).body).toMatchObject({ people: 7, undone: { by: 'Lee', note: 'wrong store' } });
  expect((await undo()).body).toMatchObject({ status: 409, code: 'already_undone' });
  expect(await occupancy()).toMatchObject({ occupancy: 2 });
});

test('takes corrections from staff alone, of stores they see, with who and how many, and not ahead of now', async () => {
  const { send, seed } = await store();
  const other = await seed.company('Other');
  await seed.store({ companyId: other, sid: 'S-9' });
  const good = { store: 'S-1', people: 3, by: 'Kim' };
  const code = async (body: unknown, credential?: string) =>
    Object((await send('/v1/corrections', body, credential)).body);
  expect(await code(good, token)).toMatchObject({ status: 403, code: 'forbidden' });
  expect(await code({ ...good, store: 'S-9' })).toMatchObject({ status: 404, code: 'unknown_store' });
  expect(await code({ ...good, by: '' })).toMatchObject({ code: 'missing_parameter', parameter: 'by' });
  expect(await code({ ...good, people: -1 })).toMatchObject({
    code: 'invalid_parameter',
    parameter: 'people',
  });
  expect(await code({ ...good, people: '3' })).toMatchObject({ parameter: 'people' });
  expect(await code({ ...good, at: '2026-11-20T10:20:01Z' })).toMatchObject({ parameter: 'at' });
  expect(await code([])).toMatchObject({ code: 'malformed_body' });
  const elsewhere = await send('/v1/corrections/1/undo', { by: 'Kim' });
  expect(elsewhere.body).toMatchObject({ status: 404, code: 'unknown_correction' });
});
