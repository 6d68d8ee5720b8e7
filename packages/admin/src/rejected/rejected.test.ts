import { oneDoor } from '@visitor-counter/test/one-door';
import { expect, test } from 'vitest';
import { adminOn } from '../../test/run-admin.ts';

const at = Date.UTC(2026, 10, 20, 10);
const hour = 3_600_000;

async function oneDevice() {
  const { url, rows, storeId, deviceId } = await oneDoor();
  const keep = async (reason: string, payload: string, topic = 'counter/v1/CU-1/crossings') => {
    const [row] = await rows.query(
      `insert into rejected_message (device_id, topic, reason, payload, digest)
       values ($1, $2, $3, $4, sha256($4)) returning id`,
      [deviceId, topic, reason, Buffer.from(payload)],
    );
    return String(row?.['id']);
  };
  const kept = () =>
    rows.query('select id, reason, convert_from(payload, $1) as payload from rejected_message order by id', [
      'UTF8',
    ]);
  const crossings = () => rows.query('select sequence::int, direction from crossing order by sequence');
  return { rows, run: adminOn(url), keep, kept, crossings, deviceId, storeId };
}

const future = 'instant: more than 24 hours in the future';

test('stores messages that have become valid, and removes them from the list', async () => {
  const { run, keep, kept, crossings } = await oneDevice();
  const id = await keep(
    future,
    JSON.stringify({
      journal: 'j1',
      entries: [
        [3, [at, 1]],
        [9, [at + 1, -1]],
      ],
    }),
  );

  const { code, out } = await run(['rejected', 'retry', id]);

  expect([code, out]).toEqual([
    0,
    '2 crossings stored, 0 were stored before; 1 messages removed from the list, 0 left',
  ]);
  expect(await crossings()).toEqual([
    { sequence: 3, direction: 1 },
    { sequence: 9, direction: -1 },
  ]);
  expect(await kept()).toEqual([]);
  expect((await run(['rejected', 'retry', id])).code).toBe(1);
});

test('leaves messages that are still rejected on the list, with their reasons', async () => {
  const { run, keep, kept, crossings } = await oneDevice();
  const first = await keep(future, JSON.stringify({ journal: 'j1', entries: [[1, [at, 1]]] }));
  await run(['rejected', 'retry', first]);
  const far = Date.now() + 48 * hour;
  const entries = [
    [1, [at, 1]],
    [1, [at, -1]],
    [2, [far, 1]],
    [3, [at, 1]],
    [4, '{"x":1}'],
  ];
  const id = await keep(future, JSON.stringify({ journal: 'j1', entries }));

  const { out } = await run(['rejected', 'retry', '--all', '--device', 'cu-1', '--json']);

  const { retried } = JSON.parse(out);
  expect(retried).toMatchObject([{ id, serial: 'CU-1', stored: 1, duplicates: 1 }]);
  expect(await crossings()).toMatchObject([{ sequence: 1, direction: 1 }, { sequence: 3 }]);
  const left = await kept();
  expect(left.map(({ reason, payload }) => [reason, JSON.parse(String(payload)).entries])).toEqual(
    expect.arrayContaining([
      [future, [[2, [far, 1]]]],
      [expect.stringMatching(/^entry: /), [[4, '{"x":1}']]],
      [expect.stringMatching(/^conflict: /), [[1, [at, -1]]]],
    ]),
  );

  const again = JSON.parse((await run(['rejected', 'retry', '--all', '--json'])).out).retried;
  expect(again).toHaveLength(3);
  expect(again.every((one: { reasons: string[] }) => one.reasons.length === 1)).toBe(true);
  expect(await kept()).toEqual(left);
});

test('lists messages and shows the content of a message', async () => {
  const { run, keep } = await oneDevice();
  const a = await keep(future, JSON.stringify({ journal: 'j1', entries: [[3, [4_000_000_000_000, 1]]] }));
  const b = await keep('malformed: not JSON', 'no\u001bise');

  const first = JSON.parse((await run(['rejected', 'list', '--limit', '1', '--json'])).out);
  expect(first.rejected).toMatchObject([{ id: a, serial: 'CU-1', company: 'Acme', reason: future }]);
  const conflicts = await run(['rejected', 'list', '--reason', 'conflict', '--device', 'CU-1', '--json']);
  expect(conflicts.out).toBe('{"rejected":[]}');

  expect((await run(['rejected', 'show', a])).out).toMatch(
    /3 +2096-10-02T07:06:40.000Z +in +\[4000000000000,1\]/,
  );
  expect((await run(['rejected', 'show', b])).out).toMatch(/no\\u\{1b\}ise$/);
  expect(JSON.parse((await run(['rejected', 'show', b, '--json'])).out).payload).toBe(btoa('no\u001bise'));
  expect((await run(['rejected', 'show', '999'])).code).toBe(1);
  expect((await run(['rejected', 'show', '99999999999999999999'])).code).toBe(2);
  expect(await run(['rejected', 'retry'])).toMatchObject({ code: 2, err: expect.stringContaining('--all') });
});

test('stores crossings beyond a limit only if the operator names the device or the message', async () => {
  const { run, keep, kept, crossings } = await oneDevice();
  const entry = (sequence: number) => JSON.stringify({ journal: 'j1', entries: [[sequence, [at, 1]]] });
  const first = await keep('limit: more than 1000 journals', entry(1));
  await keep('limit: more than 1000 journals', entry(2));

  expect((await run(['rejected', 'retry', '--all'])).code).toBe(0);
  expect(await crossings()).toEqual([]);
  await run(['rejected', 'retry', first]);
  expect(await crossings()).toEqual([{ sequence: 1, direction: 1 }]);
  await run(['rejected', 'retry', '--all', '--device', 'CU-1']);
  expect(await crossings()).toHaveLength(2);
  expect(await kept()).toEqual([]);
});

test('counts crossings in conflict as those of another unit, each once', async () => {
  const { run, keep, kept, crossings } = await oneDevice();
  const conflict = 'conflict: another crossing is stored under this journal and sequence';
  const content = (...entries: unknown[]) => JSON.stringify({ journal: 'j1', entries });
  await run(['rejected', 'retry', await keep(future, content([1, [at, 1]], [2, [at + 1, 1]]))]);
  const first = await keep(conflict, content([1, [at + 5, -1]], [2, [at + 6, -1]]));
  await keep(future, content([9, [at, 1]]));
  expect((await run(['rejected', 'retry', '--all', '--as-new-journal'])).code).toBe(2);

  expect((await run(['rejected', 'retry', first, '--as-new-journal'])).out).toMatch(
    /^2 crossings stored, 0 were/,
  );
  expect((await run(['rejected', 'retry', first, '--as-new-journal'])).code).toBe(1);
  await keep(conflict, content([2, [at + 6, -1]]));
  await keep(conflict, content([1, [at + 5, -1]], [2, [at + 7, 1]]));
  const { out } = await run(['rejected', 'retry', '--all', '--device', 'CU-1', '--as-new-journal']);

  expect(out).toMatch(/0 crossings stored, 2 were stored before; 1 messages removed from the list, 2 left$/);
  expect(await crossings()).toHaveLength(4);
  expect((await kept()).map(({ reason }) => reason)).toEqual([future, conflict]);
});
