import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, test } from 'vitest';
import { entries, rejected, stored } from '../../test/crossings.ts';
import { startTestGateway } from '../../test/test-gateway.ts';

test('rejects crossings of more journals than a device may have, and stores those of its other journals', async () => {
  const gateway = await startTestGateway();
  const { seed, deviceId, serial } = gateway;
  const unit = await connectUnit({ port: gateway.mqttPort, serial });
  await unit.crossings('known', 1, entries(1, 1));
  await seed.query(
    `insert into journal (device_id, name) select $1, 'j' || n from generate_series(1, 999) n`,
    [deviceId],
  );

  await unit.crossings('another', 1, entries(1, 2));
  await unit.crossings('known', 2, entries(2, 1));

  expect(await stored(gateway)).toHaveLength(2);
  expect(await rejected(gateway)).toMatchObject([{ reason: 'limit: more than 1000 journals' }]);
});
