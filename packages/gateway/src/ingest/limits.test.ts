import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, test } from 'vitest';
import { rejected, stored } from '../testing/crossings.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const day = 24 * 60 * 60 * 1_000;

test('keeps a crossing that is older than the limit as rejected and acknowledges it', async () => {
  const gateway = await startTestGateway({}, { INGEST_MAX_AGE_DAYS: '' });
  const unit = await connectUnit({ port: gateway.mqttPort, serial: gateway.serial });
  const now = Date.now();

  await unit.crossings('j', 1, [[Date.UTC(2001, 0, 1), 1], [now - 401 * day, 1], [now - 399 * day, 1]]);

  expect((await stored(gateway)).map((row) => row['sequence'])).toEqual([3]);
  expect(await rejected(gateway)).toMatchObject([{ reason: 'limit: more than 400 days old on arrival' }]);
});
