import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createLogger } from '@visitor-counter/service/logger';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { messagesAt, startBroker } from '../../test/test-broker.ts';
import { nodeFileSystem } from '../journal/file-system.ts';
import { openJournal } from '../journal/open-journal.ts';
import { startAgent } from './start-agent.ts';

test('reports all lost ranges in successive heartbeats, whatever the clock shows', async () => {
  const folder = await temporaryFolder();
  const broker = await startBroker();
  onTestFinished(() => broker.close());
  const journal = await openJournal(join(folder, 'journal'), { keepFor: 1e12 });
  await journal.append(Array.from({ length: 2_000 }, () => ({ at: 1e12, direction: 1 })));
  await journal.close();
  const lost = Array.from({ length: 1_000 }, (_, index) => [2 * index + 1, 2 * index + 1]);
  const position = { journal: journal.id, through: 2_000, at: 1e12, lost, ran: 0, marks: [], counted: 0 };
  await writeFile(join(folder, 'journal/acknowledged.json'), JSON.stringify(position));
  await writeFile(join(folder, 'door.csv'), '');
  await writeFile(
    join(folder, 'unit.yaml'),
    `server: ${broker.server}\nserial: CU-1\nsecret: secret\nbeams: { source: replay, file: door.csv }\n`,
  );

  const agent = await startAgent(
    join(folder, 'unit.yaml'),
    {},
    createLogger('agent', { LOG_LEVEL: 'silent' }),
    {
      uplink: { heartbeatEvery: 20 },
      clock: { synchronised: async () => true, wall: () => 1.7e12 },
    },
  );
  onTestFinished(() => agent.close());

  const reported = () => {
    const heartbeats = messagesAt<{ lost?: [string, number, number][] }>(broker, 'heartbeat');
    return new Set(heartbeats.flatMap(({ lost: some = [] }) => some.map(([, first]) => first))).size;
  };
  await expect.poll(reported).toBe(1_000);
});

test('writes nothing of a command into the journal’s folder after the door has closed', async () => {
  const folder = await temporaryFolder();
  const broker = await startBroker();
  onTestFinished(() => broker.close());
  const journal = await openJournal(join(folder, 'journal'));
  await journal.append([{ at: 1e12, direction: 1 }]);
  await journal.close();
  await writeFile(join(folder, 'door.csv'), '');
  await writeFile(
    join(folder, 'unit.yaml'),
    `server: ${broker.server}\nserial: CU-1\nsecret: secret\nbeams: { source: replay, file: door.csv }\n`,
  );
  /* Closing waits for the crossing, while commands still arrive. */
  const began = Promise.withResolvers<void>();
  broker.hold = async ({ topic }) => {
    if (topic.endsWith('/crossings')) await began.promise;
  };
  const events: string[] = [];
  const files = {
    ...nodeFileSystem,
    create: async (path: string) => {
      if (path.endsWith('remote.json.new')) {
        began.resolve();
        /* The door has delivered its crossing, and nothing but the command delays it. */
        while (broker.sockets.size > 0) await setTimeout(5);
        events.push('command stored');
      }
      return nodeFileSystem.create(path);
    },
  };
  const log = createLogger('agent', { LOG_LEVEL: 'silent' });
  const uplink = { drainWithin: 100_000 };
  const agent = await startAgent(join(folder, 'unit.yaml'), {}, log, { files, uplink });
  await expect.poll(() => messagesAt(broker, 'heartbeat').length).toBeGreaterThan(0);

  const closed = agent.close().then(() => events.push('closed'));
  broker.publish('counter/v1/CU-1/commands', JSON.stringify({ id: 1, command: 'identify' }));
  await began.promise;
  await closed;

  expect(events).toEqual(['command stored', 'closed']);
});
