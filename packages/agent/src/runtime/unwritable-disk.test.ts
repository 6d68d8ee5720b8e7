import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger } from '@visitor-counter/service/logger';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fakeGpiod, passage } from '../../test/fake-gpiod.ts';
import { faultyDisk } from '../../test/temporary-journal.ts';
import { crossingsAt, messagesAt, startBroker, type TestBroker } from '../../test/test-broker.ts';
import { monotonicNow } from '../clock/time.ts';
import { statusText } from '../commands/status.ts';
import { checkDisk } from '../doctor/check-machine.ts';
import { openJournal } from '../journal/journal.ts';
import { askOnce } from '../local/ask-agent.ts';
import { startAgent } from './start-agent.ts';

/** A unit over simulated GPIO lines and its broker; `people` walk in. */
async function unit(code?: string) {
  const { disk, beforeUse } = faultyDisk();
  disk.code = code;
  const folder = await temporaryFolder();
  const broker = await startBroker();
  const tools = await fakeGpiod(await temporaryFolder());
  vi.stubEnv('PATH', tools.env['PATH'] ?? '');
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await tools.close();
    await broker.close();
  });
  const journal = join(folder, 'journal');
  const lines = 'a: { line: GPIO17, activeLow: true }, b: { line: GPIO27, activeLow: true }';
  await writeFile(
    join(folder, 'unit.yaml'),
    `server: ${broker.server}\nserial: CU-1\nsecret: secret\njournal: journal\nbeams: { source: gpio, ${lines} }\n`,
  );
  let log = '';
  const write = (line: string) => {
    log += line;
  };
  const start = async (uplink = {}) => {
    const agent = await startAgent(join(folder, 'unit.yaml'), {}, createLogger('agent', {}, { write }), {
      journal: { beforeUse, retryEvery: 50 },
      uplink: { drainWithin: 200, ...uplink },
      clock: { synchronised: async () => true },
    });
    onTestFinished(() => agent.close());
    await expect.poll(async () => (await askOnce(journal))?.delivery?.connected).toBe(true);
    return agent;
  };
  let walked = 0;
  let begin = 0;
  const people = async (count: number) => {
    /* In the future, so that no edge is late however slowly the stand-in for gpiomon reports it. */
    begin = Math.max(begin, Math.ceil(monotonicNow()) + 2_000);
    for (let person = 0; person < count; person += 1, walked += 1, begin += 500)
      await tools.print(passage('GPIO17', 'GPIO27', begin, 2));
    await expect.poll(async () => (await askOnce(journal))?.in).toBe(walked);
  };
  return { disk, broker, journal, start, people, log: () => log };
}

/** The received crossings, each sequence of each journal once. */
function received(broker: TestBroker): string[] {
  return [...new Set(crossingsAt(broker).map(({ journal, sequence }) => `${journal} ${sequence}`))];
}

const lastHeartbeat = (broker: TestBroker) => messagesAt(broker, 'heartbeat').at(-1);
test.each([
  ['EROFS', 'failed'],
  ['EIO', 'failed'],
  ['ENOSPC', 'full'],
] as const)(
  'continues to count and deliver when the disk reports %s, and reports it everywhere',
  async (code, problem) => {
    const { disk, broker, journal, start, people } = await unit();
    await start();
    await people(2);
    await expect.poll(() => received(broker)).toHaveLength(2);
    disk.code = code;
    const stored = Promise.withResolvers<void>();
    broker.hold = ({ topic }) => (topic.endsWith('/crossings') ? stored.promise : Promise.resolve());

    await people(6);

    await expect.poll(() => lastHeartbeat(broker)).toMatchObject({ recorded: 2, storage: problem });
    const view = await askOnce(journal);
    expect(view?.delivery).toMatchObject({ recorded: 2, held: 6, storage: expect.any(String) });
    expect(view && statusText(view)).toMatch(/2 crossings, 6 not yet acknowledged\n {2}STORAGE {2}the disk/);
    expect(await checkDisk(journal, view)).toMatchObject({ verdict: 'fail' });
    stored.resolve();
    await expect.poll(() => received(broker)).toHaveLength(8);
    await expect.poll(async () => (await askOnce(journal))?.delivery?.held).toBe(0);
  },
);

test('starts on a read-only disk, delivers pending and new crossings, and stores again afterwards', async () => {
  const { disk, broker, journal, start, people } = await unit();
  const before = await openJournal(journal);
  before.append(Array.from({ length: 40 }, (_, index) => ({ at: 1e12 + index, direction: 1 })));
  await before.close();
  disk.code = 'EROFS';

  await start();
  await people(3);

  await expect.poll(() => received(broker)).toHaveLength(43);
  await expect
    .poll(async () => (await askOnce(journal))?.delivery)
    .toMatchObject({ recorded: 40, acknowledged: 40 });
  disk.code = undefined;
  await expect.poll(async () => (await askOnce(journal))?.delivery?.storage).toBeUndefined();
  await people(2);
  await expect.poll(() => received(broker)).toHaveLength(45);
  expect((await askOnce(journal))?.delivery).toMatchObject({ recorded: 42 });
});

test('counts and delivers although the folder of its journal can never be created', async () => {
  const { broker, start, people } = await unit('EROFS');

  await start();
  await people(4);

  await expect.poll(() => received(broker)).toHaveLength(4);
  expect(lastHeartbeat(broker)).toMatchObject({ storage: 'failed' });
});

test('delivers crossings that are only in memory at a stop', async () => {
  const { disk, broker, start, people, log } = await unit();
  const agent = await start({ drainWithin: 2_000 });
  disk.code = 'EROFS';
  const stopping = Promise.withResolvers<void>();
  broker.hold = ({ topic }) => (topic.endsWith('/crossings') ? stopping.promise : Promise.resolve());
  await people(3);

  const closed = agent.close();
  stopping.resolve();
  await closed;

  expect(received(broker)).toHaveLength(3);
  expect(log()).not.toContain('crossings lost');
});
