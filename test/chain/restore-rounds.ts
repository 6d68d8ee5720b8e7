import { randomBytes } from 'node:crypto';
import { createDatabase, dropDatabase } from '@visitor-counter/database/sql/create-database';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, inject } from 'vitest';
import { expectWholeJournals, startIngestLoad } from './ingest-load.ts';
import { backUpInto, restoreFrom } from './operator.ts';

/**
 * Takes backups while crossings are stored, and restores each into an empty database: it must verify, and have whole
 * journals from their first crossings on, with more crossings than the backup before.
 */
export async function restoreRounds(rounds: number): Promise<void> {
  const [url, folder] = [await testDatabase(), await temporaryFolder()];
  const load = await startIngestLoad(url);
  let before = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const target = load.stored + 500;
    await expect.poll(() => load.stored).toBeGreaterThan(target);
    const file = await backUpInto(url, folder);
    const stored = await restoredIntoEmpty(file);
    expect(stored).toBeGreaterThan(before);
    before = stored;
  }
  await load.stop();
}

async function restoredIntoEmpty(file: string): Promise<number> {
  const server = inject('databaseServer');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await createDatabase(server, name);
  try {
    const url = server.replace(/[^/]*$/, name);
    const { tables } = await restoreFrom(url, file);
    const stored = await expectWholeJournals(url);
    expect(tables).toMatchObject({ crossing: stored });
    return stored;
  } finally {
    await dropDatabase(server, name);
  }
}
