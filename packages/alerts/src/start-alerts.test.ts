import { createLogger } from '@visitor-counter/service/logger';
import { Metrics } from '@visitor-counter/service/metrics';
import { expect, test } from 'vitest';
import { startAlerts } from './start-alerts.ts';

test('starts although the database is unavailable again, and says that it is not ready', async () => {
  const config = { mail: undefined, secretsKeys: async () => undefined };
  const alerts = await startAlerts(config, {
    databaseUrl: 'postgres://127.0.0.1:1/none',
    migrated: Promise.resolve(),
    log: createLogger('test', { LOG_LEVEL: 'silent' }),
    metrics: new Metrics(),
  });

  expect(await alerts.problem()).toBe('alerts cannot be read from the database');
  await alerts.close();
});
