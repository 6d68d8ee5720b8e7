import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, test } from 'vitest';
import { startTestGateway } from './start/test-gateway.ts';

const at = Date.UTC(2026, 10, 20, 10);

test('acknowledges a crossing only when another connection can read it', async () => {
  const { seed, mqttPort, storeId, devices } = await startTestGateway({ serials: ['CU-1'] });
  const unit = await connectUnit({ port: mqttPort, serial: 'CU-1' });

  await unit.crossings('j1', 1, [
    [at, 1],
    [at + 1, -1, 250],
  ]);

  const rows = await seed.query(
    `select device_id, store_id, sequence, (extract(epoch from at) * 1000)::float8 as at, direction, uncertainty_ms
     from crossing order by sequence`,
  );
  const common = { device_id: devices['CU-1'], store_id: storeId };
  expect(rows).toEqual([
    { ...common, sequence: '1', at, direction: 1, uncertainty_ms: null },
    { ...common, sequence: '2', at: at + 1, direction: -1, uncertainty_ms: '250' },
  ]);
});
