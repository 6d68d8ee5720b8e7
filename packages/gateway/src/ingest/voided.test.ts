import { restoreVoid, voidCrossings } from '@visitor-counter/database/voids/void-crossings';
import { kim } from '@visitor-counter/test/author';
import { connected } from '@visitor-counter/test/connected';
import { projected } from '@visitor-counter/test/projected';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, test } from 'vitest';
import { at, entries, rejected } from '../../test/crossings.ts';
import { startOn, startTestGateway } from '../../test/test-gateway.ts';

test('acknowledges a voided crossing that is redelivered, and never counts it, not even after a restart', async () => {
  const gateway = await startTestGateway();
  const { url, seed, serial, deviceId } = gateway;
  const { kysely } = connected(url);
  const counted = async () => {
    await projected(url);
    const [sums] = await seed.query(
      `select coalesce(sum(sum), 0)::int as people,
         (select count(*)::int from crossing where store_id > 0) as crossings
       from quarter_state`,
    );
    return sums;
  };
  const unit = await connectUnit({ port: gateway.mqttPort, serial });
  await unit.crossings('j', 1, entries(1, 60));
  const before = await counted();

  const range = { deviceId, from: at, until: at + 31_000 };
  const { id, crossings } = await voidCrossings(kysely, { ...range, reason: 'test', author: kim });
  expect(crossings).toBe(30);
  const after = await counted();
  await unit.crossings('j', 1, entries(1, 60));
  const next = await startOn(url);
  const again = await connectUnit({ port: next.mqttPort, serial });
  for (let first = 1; first <= 60; first += 10) await again.crossings('j', first, entries(first, 10));
  expect(await counted()).toEqual(after);
  expect(after).toMatchObject({ crossings: 30 });

  await again.crossings('j', 61, entries(61, 3));
  expect(await restoreVoid(kysely, id, kim)).toBe(30);
  expect(await counted()).toEqual({ people: Number(before?.['people']) + 1, crossings: 63 });
  expect(await rejected(gateway)).toEqual([]);
});
