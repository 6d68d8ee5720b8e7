import { findDatabase } from '@visitor-counter/database/embedded/find-database';
import type { Environment } from '@visitor-counter/service/environment';
import { createLogger } from '@visitor-counter/service/logger';
import { expect, test } from 'vitest';
import { help } from './help.ts';
import { readConfig } from './start/config.ts';

test('names every variable that is read in the help', async () => {
  const read = new Set<string>();
  const settings = { DATABASE_URL: 'postgres://user@db/counter' };
  const env = new Proxy<Environment>(settings, {
    get: (target, name: string) => {
      read.add(name);
      return target[name];
    },
  });
  readConfig(env);
  await findDatabase(env);
  createLogger('alerts', env);

  expect(read.size).toBeGreaterThan(5);
  expect([...read].filter((name) => !help.includes(name))).toEqual([]);
});
