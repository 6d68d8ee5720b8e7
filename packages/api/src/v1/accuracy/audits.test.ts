import { computeResults } from '@visitor-counter/database/accuracy/compute-results';
import { connected } from '@visitor-counter/test/connected';
import { projected } from '@visitor-counter/test/projected';
import { expect, test } from 'vitest';
import { berlinStore } from '../../../test/berlin-store.ts';
import { cross } from '../../../test/one-store.ts';

/** The store of Berlin, whose unit has delivered everything up to an instant. */
async function auditedStore(until: string) {
  const world = await berlinStore();
  const delivered = async (at: string) => {
    const heartbeat = { at: Date.parse(at), journal: 'journal-a', recorded: 7, acknowledged: 7 };
    await world.seed.query(`update device_state set heartbeat = $1, heartbeat_at = $2`, [
      JSON.stringify({ ...heartbeat, clock: 'synced', beams: [], lost: [] }),
      at,
    ]);
  };
  await delivered(until);
  return { ...world, delivered };
}

/* The unit counted in at 08:05, in at 08:10, out at 08:40 UTC. */
const passages = [
  { at: '2026-11-20T08:05:00.900Z', direction: 'in' },
  { at: '2026-11-20T08:10:01.100Z', direction: 'in' },
  { at: '2026-11-20T09:30:00+01:00', direction: 'in' },
  { at: '2026-11-20T08:40:01Z', direction: 'out' },
];
const audit = { device: 'cu-0001', by: ' Kim ', id: 'a-1', note: 'sunny', passages };

test('compares passages with crossings once, and repeats the answer for the same id', async () => {
  const { ask, send, seed } = await auditedStore('2026-11-20T10:19:00Z');
  const first = await send('/v1/audits', audit);
  expect(first).toMatchObject({
    status: 201,
    body: {
      id: 'a-1',
      device: 'CU-0001',
      store: 'S-1',
      by: 'Kim',
      note: 'sunny',
      seen: { in: 3, out: 1 },
      from: '2026-11-20T09:05:00.900+01:00',
      to: '2026-11-20T09:40:01.000+01:00',
      credential: 'till',
      result: {
        lag: 1,
        in: { observed: 3, counted: 2, missed: 1, extra: 0, error: -0.33333 },
        out: { observed: 1, counted: 1, missed: 0, extra: 0, error: 0 },
      },
    },
  });
  const { low, high } = Object(first.body).result.in.interval;
  expect(low).toBeGreaterThanOrEqual(-1);
  expect(low).toBeLessThan(-0.33333);
  expect(high).toBeGreaterThan(-0.33333);

  await seed.query(`delete from crossing where at < '2026-11-20T08:30:00Z'`);
  expect(await send('/v1/audits', audit)).toMatchObject({ status: 201, body: first.body });
  expect(await send('/v1/audits', { ...audit, passages: passages.slice(1) })).toMatchObject({
    status: 409,
    body: { code: 'id_conflict', parameter: 'id' },
  });
  expect((await ask('/v1/audits?store=S-1')).body).toEqual({ items: [first.body], next: null });
  expect(Object((await ask('/v1/devices')).body).items[0].audit).toEqual(first.body);
  const csv = await ask('/v1/audits?device=CU-0001', undefined, { headers: { accept: 'text/csv' } });
  expect(csv.text.split('\r\n')[1]).toContain(',3,2,1,0,-0.33333,');
});

test('lists the audits of a device that the caller knows, and no others', async () => {
  const { ask, send, seed, companyId, storeId, deviceId } = await auditedStore('2026-11-20T10:19:00Z');
  await send('/v1/audits', audit);
  await seed.device({ companyId, storeId, serial: 'CU-0002' });
  const other = await seed.store({ companyId, sid: 'S-2', name: 'Side Door' });
  await seed.move(deviceId, other, Date.parse('2026-11-20T10:00:00Z'));
  const globex = await seed.company('Globex');
  const foreign = await seed.store({ companyId: globex, sid: 'S-1', name: 'Globex' });
  await seed.device({ companyId: globex, storeId: foreign, serial: 'GX-1' });
  const limited = await seed.credential({ companyId, kind: 'counts', value: 'of S-2' });
  await seed.limit(limited, [other]);
  const list = async (query: string, credential?: string) => {
    const body = Object((await ask(`/v1/audits?${query}`, credential)).body);
    return body.code === undefined ? body.items.length : [body.code, body.parameter];
  };

  expect([await list('device=cu-0001'), await list('device=CU-0002')]).toEqual([1, 0]);
  expect([await list('device=CU-0001', 'of S-2'), await list('device=CU-0001&store=S-2')]).toEqual([0, 0]);
  for (const unknown of [
    await list('device=CU-9'),
    await list('device=GX-1'),
    await list('device=CU-0002', 'of S-2'),
  ])
    expect(unknown).toEqual(['unknown_device', 'device']);
});

test('is pending until the unit has delivered what it counts up to 3 s after the last passage', async () => {
  const { send, delivered, seed } = await auditedStore('2026-11-20T08:39:00Z');
  const { body } = await send('/v1/audits', audit);
  expect(body).toMatchObject({ result: 'pending', seen: { in: 3, out: 1 } });
  await delivered('2026-11-20T08:40:03.999Z');
  expect((await send('/v1/audits', audit)).body).toMatchObject({ result: 'pending' });
  expect(await seed.query("select from accuracy_audit where state <> 'pending'")).toEqual([]);

  await delivered('2026-11-20T08:40:04Z');
  expect((await send('/v1/audits', audit)).body).toMatchObject({ result: { out: { error: 0 } } });
});

test.each([25, -25])('finds the crossings of a person whose clock is %i s ahead', async (lag) => {
  const { send } = await auditedStore('2026-11-20T10:19:00Z');
  const shifted = ['08:05:00Z', '08:10:00Z', '08:40:00Z'].map((time, index) => ({
    at: new Date(Date.parse(`2026-11-20T${time}`) + lag * 1_000).toISOString(),
    direction: index === 2 ? 'out' : 'in',
  }));
  expect((await send('/v1/audits', { ...audit, passages: shifted })).body).toMatchObject({
    result: { lag, in: { missed: 0 }, out: { missed: 0 } },
  });
});

test('computes the result of a unit that was retired before it delivered everything', async () => {
  const { send, seed, databaseUrl } = await auditedStore('2026-11-20T08:39:00Z');
  expect((await send('/v1/audits', audit)).body).toMatchObject({ result: 'pending' });
  await seed.query('update device set retired_at = now()');
  const database = connected(databaseUrl);
  await computeResults(database.kysely, Date.now());
  expect(await seed.query("select lag from accuracy_audit where state <> 'pending'")).toHaveLength(1);
});

test('ends without a result when the crossings of that time were removed, whether the unit delivers or not', async () => {
  const { send, ask, seed } = await auditedStore('2026-11-20T08:39:00Z');
  expect((await send('/v1/audits', audit)).body).toMatchObject({ result: 'pending' });
  await seed.query('update company set retention_months = 1');
  await seed.query(
    `alter table accuracy_audit disable trigger append_only;
     update accuracy_audit set first_at = horizon(1) - interval '1 minute'`,
  );
  expect((await send('/v1/audits', audit)).body).toMatchObject({
    result: 'removed',
    seen: { in: 3, out: 1 },
  });
  expect(Object((await ask('/v1/audits')).body).items).toMatchObject([{ result: 'removed' }]);
  expect(Object((await ask('/v1/devices')).body).items[0].audit).toBeNull();
});

test('reads a list of times as CSV, in the time of the store, with and without a header, alone or in JSON', async () => {
  const { ask, send } = await auditedStore('2026-11-20T10:19:00Z');
  const upload = (id: string, text: string) =>
    ask(`/v1/audits?device=CU-0001&by=Kim&id=${id}`, 'staff-token', {
      method: 'POST',
      body: text,
      headers: { 'content-type': 'text/csv' },
    });
  const expected = { result: { in: { observed: 1, missed: 0 }, out: { observed: 1, missed: 0 } } };
  const lines = ['2026-11-20 09:10:01;IN', '2026-11-20T08:40:00.5Z;out'];
  expect((await upload('b-1', lines.join('\r\n'))).body).toMatchObject(expected);
  const turned = 'direction,at\nin,2026-11-20 09:10:01\nout,2026-11-20T08:40:00.5Z\n';
  expect((await upload('b-2', turned)).body).toMatchObject(expected);
  expect((await send('/v1/audits', { ...audit, id: 'b-4', passages: turned })).body).toMatchObject({
    ...{ ...expected, by: 'Kim', note: 'sunny' },
  });
  expect(await upload('b-3', 'at,direction\n2026-11-20 25:00:00,in\n2026-11-20T08:40:00Z,up')).toMatchObject({
    status: 400,
    body: {
      code: 'invalid_lines',
      errors: [
        { line: 2, field: 'at', value: '2026-11-20 25:00:00' },
        { line: 3, field: 'direction', value: 'up' },
      ],
    },
  });
});

test('refuses audits without passages, ahead of now, over more than 12 hours, of unknown devices, and by readers', async () => {
  const { send } = await auditedStore('2026-11-20T10:19:00Z');
  const at = (instant: string) => [
    { at: '2026-11-20T01:00:00Z', direction: 'in' },
    { at: instant, direction: 'in' },
  ];
  const answerTo = async (change: object, credential?: string) =>
    (await send('/v1/audits', { ...audit, ...change }, credential)).body;
  expect(await answerTo({ passages: [] })).toMatchObject({ parameter: 'passages' });
  expect(await answerTo({ passages: Array(2_001).fill(passages[0]) })).toMatchObject({
    parameter: 'passages',
  });
  expect(await answerTo({ passages: at('2026-11-20T10:21:00Z') })).toMatchObject({
    errors: [{ line: 2, field: 'at' }],
  });
  expect(await answerTo({ passages: at('2026-11-19T10:00:00Z') })).toMatchObject({
    errors: [{ line: 1, field: 'at' }],
  });
  expect(await answerTo({ passages: [null] })).toMatchObject({
    code: 'invalid_lines',
    errors: [{ field: 'at', value: '' }, { field: 'direction' }],
  });
  expect(await answerTo({ device: 'CU-9' })).toMatchObject({ status: 404, code: 'unknown_device' });
  expect(await answerTo({ by: ' ' })).toMatchObject({ parameter: 'by' });
  expect(await answerTo({ id: '' })).toMatchObject({ code: 'missing_parameter', parameter: 'id' });
  expect(await answerTo({}, 'acme-counts-token')).toMatchObject({ status: 403 });
});

test('ignores crossings that were removed as false, and those of other doors', async () => {
  const world = await auditedStore('2026-11-20T10:19:00Z');
  const { send, seed, companyId, storeId } = world;
  const deviceId = await seed.device({ companyId, storeId, serial: 'CU-0002' });
  const journalId = await seed.journal(deviceId, 'journal-b');
  await cross({ ...world, deviceId, journalId }, [['2026-11-20T08:30:00Z', 1]]);
  await seed.query(`update crossing set store_id = -1 where at = '2026-11-20T08:05:00Z'`);
  await projected(world.databaseUrl);
  expect((await send('/v1/audits', audit)).body).toMatchObject({ result: { in: { counted: 1, missed: 2 } } });
});
