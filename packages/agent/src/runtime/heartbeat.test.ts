import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createLogger } from '@visitor-counter/service/logger';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { messagesAt, startBroker } from '../../test/test-broker.ts';
import { openJournal } from '../journal/journal.ts';
import { startAgent } from './start-agent.ts';

/** A unit without people, with so many crossings in its journal, and its broker. */
async function unitWith(count: number) {
  const folder = await temporaryFolder();
  const broker = await startBroker();
  onTestFinished(() => broker.close());
  const journal = await openJournal(join(folder, 'journal'));
  journal.append(Array.from({ length: count }, () => ({ at: 1e12, direction: 1 })));
  await journal.close();
  await writeFile(join(folder, 'door.csv'), '');
  await writeFile(
    join(folder, 'unit.yaml'),
    `server: ${broker.server}\nserial: CU-1\nsecret: secret\njournal: journal\nbeams: { source: replay, file: door.csv }\n`,
  );
  const start = (uplink: object) =>
    startAgent(join(folder, 'unit.yaml'), {}, createLogger('agent', { LOG_LEVEL: 'silent' }), { uplink });
  return { broker, start, journal: join(folder, 'journal') };
}

test('reports all lost ranges in successive heartbeats', async () => {
  const { broker, start, journal } = await unitWith(2_000);
  const database = new DatabaseSync(join(journal, 'journal.sqlite'));
  database.exec('delete from crossing where sequence % 2 = 1');
  database.close();

  const agent = await start({ heartbeatEvery: 20 });
  onTestFinished(() => agent.close());

  const reported = () => {
    const heartbeats = messagesAt<{ lost?: [string, number, number][] }>(broker, 'heartbeat');
    return new Set(heartbeats.flatMap(({ lost: some = [] }) => some.map(([, first]) => first))).size;
  };
  await expect.poll(reported).toBe(1_000);
});
