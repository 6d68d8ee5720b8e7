import { expect, test } from 'vitest';
import { berlinStore, now } from '../testing/berlin-store.ts';
import { token } from '../testing/one-store.ts';

test('says which parameter is wrong, and what was expected', async () => {
  const { ask } = await berlinStore();
  const wrong = {
    '/v1/counts?bucket=minute': 'bucket',
    '/v1/counts?from=2026-02-30': 'from',
    '/v1/counts?from=2026-11-20&to=2026-11-19': 'from',
    '/v1/stores?limit=0': 'limit',
    '/v1/stores?limit=x': 'limit',
    '/v1/crossings?after=x': 'after',
    '/v1/corrections?after=%00': 'after',
    '/v1/stores/%00': 'sid',
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
  const { ask } = await berlinStore();
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
  const { ask } = await berlinStore();
  const { text, headers } = await ask('/v1/crossings?limit=1', token, { headers: { accept: 'text/csv' } });
  expect(text).toBe(
    'store,device,journal,sequence,at,direction,uncertaintyMs\r\n' +
      'S-1,CU-0001,journal-a,1,2026-11-13T09:05:00.000+01:00,in,\r\n',
  );
  expect(headers.get('link')).toMatch(/^<\/v1\/crossings\?limit=1&after=[-\d.]+>; rel="next"$/);
});

test('opens by the kind of credential, and to nobody without one', async () => {
  const { ask, seed, companyId } = await berlinStore();
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
