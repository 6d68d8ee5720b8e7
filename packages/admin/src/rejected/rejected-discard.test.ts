import { oneDoor } from '@visitor-counter/test/one-door';
import { expect, test } from 'vitest';
import { adminOn } from '../../test/run-admin.ts';

/** Two devices, of which the first has three conflicts and two malformed messages, the other one conflict. */
async function someRejected() {
  const { url, rows, companyId, storeId, deviceId } = await oneDoor();
  const other = await rows.device({ companyId, storeId, serial: 'CU-2' });
  const keep = (deviceId: number, reason: string, payload: string) =>
    rows.query(
      `insert into rejected_message (device_id, topic, reason, payload, digest)
       values ($1, 'counter/v1/CU-1/crossings', $2, $3, sha256($3))`,
      [deviceId, reason, Buffer.from(payload)],
    );
  for (const payload of ['a', 'b', 'c']) await keep(deviceId, 'conflict: another one', payload);
  for (const payload of ['d', 'e']) await keep(deviceId, 'malformed: not JSON', payload);
  await keep(other, 'conflict: another one', 'f');
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
