import { projected } from '@visitor-counter/test/projected';
import { expect, test } from 'vitest';
import { berlinStore } from '../../../test/berlin-store.ts';
import { token } from '../../../test/one-store.ts';

test('sets the occupancy to what staff counted, and undoes the correction', async () => {
  const { ask, send, post, databaseUrl } = await berlinStore();
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
  await projected(databaseUrl);
  const correction = {
    store: 'S-1',
    at: '2026-11-20T11:15:00.000+01:00',
    people: 7,
    by: 'Kim',
    note: 'counted',
    credential: 'till',
    undone: null,
  };
  expect(entered.body).toMatchObject(correction);
  expect(await occupancy()).toMatchObject({ occupancy: 7, lastChangeAt: '2026-11-20T11:15:00.000+01:00' });
  const hour = async () => Object((await ask('/v1/counts')).body).items[11];
  expect(await hour()).toMatchObject({ in: 1, occupancy: 7, peak: 7 });
  expect((await hour()).corrections).toEqual([
    { at: '2026-11-20T11:15:00.000+01:00', by: 'Kim', people: 7, was: 2 },
  ]);
  expect(Object((await ask('/v1/corrections')).body).items).toMatchObject([correction]);
  const today = await post('GetAllCountsByCompanyForTodayPublic', { CompanyName: 'Acme', Token: token });
  expect(today.body).toMatchObject([{ Amount: 7 }]);

  const { id } = Object(entered.body);
  const undo = () => send(`/v1/corrections/${id}/undo`, { by: 'Lee', note: 'wrong store' });
  expect((await undo()).body).toMatchObject({ people: 7, undone: { by: 'Lee', note: 'wrong store' } });
  await projected(databaseUrl);
  expect((await undo()).body).toMatchObject({ status: 409, code: 'already_undone' });
  expect(await occupancy()).toMatchObject({ occupancy: 2 });
  expect(await hour()).toMatchObject({ occupancy: 2, corrections: [] });
});

test('accepts corrections only from staff, for their stores, with a name and a count, and not in the future', async () => {
  const { send, seed } = await berlinStore();
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
  expect(await code({ ...good, at: '2026-11-20T10:25:01Z' })).toMatchObject({ parameter: 'at' });
  expect(await code([])).toMatchObject({ code: 'malformed_body' });
  const elsewhere = await send('/v1/corrections/1/undo', { by: 'Kim' });
  expect(elsewhere.body).toMatchObject({ status: 404, code: 'unknown_correction' });
});

test('enters a correction once for each id, at the instant of the client, and refuses other content', async () => {
  const { ask, send } = await berlinStore();
  const body = { store: 'S-1', people: 7, by: 'Kim', at: '2026-11-20T10:10:30Z', id: 'page-1' };
  const first = await send('/v1/corrections', body);
  const again = await Promise.all([send('/v1/corrections', body), send('/v1/corrections', body)]);
  expect(again.map((one) => one.body)).toEqual([first.body, first.body]);
  expect(first.body).toMatchObject({ at: '2026-11-20T11:10:30.000+01:00' });
  for (const other of [{ people: 8 }, { by: 'Lee' }, { note: 'x' }, { at: '2026-11-20T10:10:31Z' }])
    expect((await send('/v1/corrections', { ...body, ...other })).body).toMatchObject({
      status: 409,
      code: 'id_conflict',
      parameter: 'id',
    });
  /* The clock of the client is ahead: the instant is now. */
  const ahead = { ...body, at: '2026-11-20T10:24:00Z', id: 'page-2' };
  const late = await send('/v1/corrections', ahead);
  expect(late.body).toMatchObject({ at: '2026-11-20T11:20:00.000+01:00' });
  expect((await send('/v1/corrections', ahead)).body).toEqual(late.body);
  expect(Object((await ask('/v1/corrections')).body).items).toHaveLength(2);
  const long = { ...body, id: 'x'.repeat(101) };
  expect((await send('/v1/corrections', long)).body).toMatchObject({ status: 400, parameter: 'id' });
});

test('fills each page where the dates of stores in several zones begin at different instants', async () => {
  const { ask, send, seed, companyId } = await berlinStore();
  await seed.store({ companyId, sid: 'S-2', timeZone: 'Pacific/Auckland' });
  const entered = [
    ['S-1', '2026-11-20T08:00:00Z'],
    ['S-1', '2026-11-20T09:00:00Z'],
    ['S-2', '2026-11-20T10:00:00Z'],
    /* Of the day before in Berlin, when it is already this date in Auckland. */
    ['S-1', '2026-11-19T12:00:00Z'],
  ] as const;
  for (const [store, at] of entered) await send('/v1/corrections', { store, people: 1, by: 'Kim', at });

  const page = async (after = '') =>
    Object((await ask(`/v1/corrections?from=2026-11-20&to=2026-11-20&limit=1${after}`)).body);
  const pages = [await page()];
  for (let next = pages[0].next; next; next = pages.at(-1).next) pages.push(await page(`&after=${next}`));
  expect(pages.map(({ items }) => items.map(({ at }: { at: string }) => at))).toEqual([
    ['2026-11-20T23:00:00.000+13:00'],
    ['2026-11-20T10:00:00.000+01:00'],
    ['2026-11-20T09:00:00.000+01:00'],
  ]);
});
