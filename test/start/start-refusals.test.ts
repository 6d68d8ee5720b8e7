import { once } from 'node:events';
import { createServer } from 'node:net';
import { startDemonstration } from '@visitor-counter/test/demonstration';
import { listening } from '@visitor-counter/test/listening';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';

test('refuses a configured port that is in use, and names the setting', async () => {
  const taken = await listening(createServer());
  const folder = await temporaryFolder();

  const refused = startDemonstration({
    DATA_DIR: folder,
    DATABASE_URL: await testDatabase(),
    HTTP_PORT: String(taken),
  });

  await refused.printed(new RegExp(`HTTP_PORT is "${taken}": expected a port that is free`));
  await once(refused.child, 'close');
  expect(refused.child.exitCode).toBe(2);
});

test('refuses a database that cannot be reached in one line, without its password', async () => {
  const refused = startDemonstration({
    DATA_DIR: await temporaryFolder(),
    DATABASE_URL: 'postgres://user:very-secret@127.0.0.1:1/db',
  });

  await refused.printed(
    /^DATABASE_URL is "…": expected a PostgreSQL that can be reached \(connect ECONNREFUSED 127\.0\.0\.1:1\)$/m,
  );
  await once(refused.child, 'close');
  expect(refused.child.exitCode).toBe(2);
  expect(refused.output()).not.toMatch(/very-secret|Error|^ +at /m);
});
