import { expect, test } from 'vitest';
import { berlinStore } from '../../../test/berlin-store.ts';

test('lists stores, and one of them', async () => {
  const { ask } = await berlinStore();
  const item = {
    sid: 'S-1',
    name: 'Main Door',
    address: '1 High St',
    city: 'Irvine',
    timeZone: 'Europe/Berlin',
    dayStartsAt: '00:00',
    capacity: null,
    groups: ['West'],
    open: null,
    opensOn: null,
    opensAt: null,
    openToday: null,
  };
  expect((await ask('/v1/stores')).body).toEqual({ items: [item], next: null });
  expect((await ask('/v1/stores/S-1')).body).toEqual(item);
  expect((await ask('/v1/stores/S-2')).body).toMatchObject({ status: 404, code: 'unknown_store' });
  expect((await ask('/v1/stores/')).body).toMatchObject({ status: 404, code: 'not_found' });
});

test('returns lists in pages', async () => {
  const { ask, seed, companyId } = await berlinStore();
  /* The last two are in another order as UTF-16. */
  for (const sid of ['S-10', 'a/b', 'b', 'Ä', '～', '😀']) await seed.store({ companyId, sid });
  const sids: unknown[] = [];
  for (let path: string | undefined = '/v1/stores?limit=2'; path; ) {
    const { body } = await ask(path);
    const { items, next } = Object(body);
    sids.push(items.map(({ sid }: { sid: string }) => sid));
    path = next === null ? undefined : `/v1/stores?limit=2&after=${encodeURIComponent(next)}`;
  }
  expect(sids).toEqual([['S-1', 'S-10'], ['a/b', 'b'], ['Ä', '～'], ['😀']]);
  expect((await ask('/v1/stores/a%2Fb')).body).toMatchObject({ sid: 'a/b' });
});

test('finds a sid in any Unicode normal form, and prefers the exact spelling', async () => {
  const { ask, seed, companyId } = await berlinStore();
  const [composed, decomposed, other] = ['Zoë', 'Zoe\u0308', 'A\u030a'];
  await seed.store({ companyId, sid: composed, name: 'Composed' });
  const at = async (sid: string) => (await ask(`/v1/stores/${encodeURIComponent(sid)}`)).body;
  expect(await at(decomposed)).toMatchObject({ sid: composed });
  expect((await ask(`/v1/occupancy?store=${encodeURIComponent(decomposed)}`)).body).toMatchObject({
    items: [{ store: composed }],
  });

  await seed.store({ companyId, sid: decomposed, name: 'Decomposed' });
  expect(await at(composed)).toMatchObject({ name: 'Composed' });
  expect(await at(decomposed)).toMatchObject({ name: 'Decomposed' });

  await seed.store({ companyId, sid: other });
  expect(await at('\u212b')).toMatchObject({ sid: other });
});
