import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { adminOn } from '../../test/run-admin.ts';

/** Two devices, of which the first has three conflicts and two malformed messages, the other one conflict. */
async function someRejected() {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  const device = (serial: string) => rows.device({ companyId, storeId, serial });
  const ids = [await device('CU-1'), await device('CU-2')];
  const keep = (deviceId: number | undefined, reason: string, payload: string) =>
    rows.query(
      `insert into rejected_message (device_id, topic, reason, payload, digest)
       values ($1, 'counter/v1/CU-1/crossings', $2, $3, sha256($3))`,
      [deviceId, reason, Buffer.from(payload)],
    );
  for (const payload of ['a', 'b', 'c']) await keep(ids[0], 'conflict: another one', payload);
  for (const payload of ['d', 'e']) await keep(ids[0], 'malformed: not JSON', payload);
  await keep(ids[1], 'conflict: another one', 'f');
  const left = async () => {
    const kept = await rows.query(
      'select convert_from(payload, $1) as text from rejected_message order by id',
      ['UTF8'],
    );
    return kept.map(({ text }) => text).join('');
  };
  return { run: adminOn(url), rows, left };
}

test('discards the messages of one device and reason if their number is as expected', async () => {
  const { run, left } = await someRejected();

  const conflicts = ['rejected', 'discard', '--device', 'cu-1', '--reason', 'conflict', '--count'];
  const wrong = await run([...conflicts, '2']);
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('--count is 2, and there are 3')]);
  expect(await left()).toBe('abcdef');

  const right = await run([...conflicts, '3']);
  expect([right.code, right.out]).toEqual([0, '3 discarded']);
  expect(await left()).toBe('def');

  const all = await run(['rejected', 'discard', '--device', 'CU-1', '--count', '2', '--json']);
  expect(JSON.parse(all.out)).toEqual({ discarded: 2 });
  expect(await left()).toBe('f');
});

test('discards one message by its number, once', async () => {
  const { run, rows, left } = await someRejected();
  const [last] = await rows.query('select max(id) as id from rejected_message');
  const id = String(last?.['id']);

  expect((await run(['rejected', 'discard', id])).code).toBe(0);
  expect(await left()).toBe('abcde');
  expect((await run(['rejected', 'discard', id])).code).toBe(1);
});
