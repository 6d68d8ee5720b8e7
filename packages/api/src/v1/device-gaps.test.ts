import { completenessOfDevice } from '@visitor-counter/database/devices/completeness';
import { deviceFacts } from '@visitor-counter/database/devices/device-facts';
import { connected } from '@visitor-counter/test/connected';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';

const minute = 60_000;
const now = Date.now() - (Date.now() % minute);
const begin = now - 60 * minute;

/** A device with crossings 1 to 20, a minute apart, and a heartbeat of now that says that all is well. */
async function deliveredDevice(acknowledged: number) {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  const deviceId = await rows.device({ companyId, storeId, serial: 'CU-1', registeredAt: begin - minute });
  const journalId = await rows.journal(deviceId, 'j');
  const add = (sequences: readonly number[]) =>
    rows.crossings(
      sequences.map((sequence) => ({
        journalId,
        deviceId,
        storeId,
        sequence,
        at: begin + sequence * minute,
        direction: 1,
      })),
    );
  const heartbeat = { at: now, journal: 'j', recorded: acknowledged, acknowledged };
  await rows.query(
    `insert into device_state (device_id, last_activity_at, heartbeat_at, heartbeat, online)
     values ($1, $2, $2, $3, true)
     on conflict (device_id) do update
       set heartbeat = excluded.heartbeat, heartbeat_at = excluded.heartbeat_at, online = true,
         last_activity_at = excluded.last_activity_at`,
    [deviceId, new Date(now), JSON.stringify(heartbeat)],
  );
  const { kysely } = connected(url);
  const health = async (since?: number) => {
    const [facts] = await deviceFacts(kysely, [storeId], now, since);
    if (facts === undefined) throw new Error('no device');
    return completenessOfDevice(facts, now, since);
  };
  return { rows, deviceId, journalId, add, health };
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

test('reports everything from the first conflicting crossing on as incomplete', async () => {
  const { rows, deviceId, journalId, add, health } = await deliveredDevice(20);
  await add(upTo(20));
  const from = begin + 7 * minute;
  await rows.query('update journal set conflict_at = now(), conflicts_from = $2 where id = $1', [
    journalId,
    new Date(from),
  ]);
  expect(await health()).toEqual({ completeUntil: now, deliveredUntil: now, obstacles: [] });
  await rows.query(
    `insert into rejected_message (device_id, topic, reason, payload, digest)
     values ($1, 't', 'conflict: another', '', 'x')`,
    [deviceId],
  );
  expect(await health()).toEqual({
    completeUntil: from,
    deliveredUntil: now,
    obstacles: [{ kind: 'conflict', device: 'CU-1', count: 1, since: from }],
  });
});
