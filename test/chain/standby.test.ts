import { migrate, migrateWhenAvailable } from '@visitor-counter/database/migrations/migrate';
import { createLogger } from '@visitor-counter/service/logger';
import { ReplicatedServer } from '@visitor-counter/test/replicated-server';
import { expect, onTestFinished, test } from 'vitest';

test('a server that starts while PostgreSQL still recovers, or is a standby, waits until that ends', async () => {
  const primary = await ReplicatedServer.start();
  onTestFinished(() => primary.stop());
  const standby = await primary.standby();
  const url = standby.urlOf(await primary.database());
  await expect(migrate(url)).rejects.toThrow('the database server is a standby or still recovers');

  let promoted: Promise<unknown> | undefined;
  const onUnavailable = () => {
    promoted ??= standby.promote();
  };
  const { signal } = new AbortController();
  await migrateWhenAvailable(url, url, createLogger('test', {}), signal, onUnavailable);

  expect(await promoted).toBe(1);
});
