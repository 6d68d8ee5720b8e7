import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '@visitor-counter/service/logger';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fakeGpiod, passage } from '../../test/fake-gpiod.ts';
import { crossingsAt, messagesAt, startBroker } from '../../test/test-broker.ts';
import { monotonicNow } from '../clock/time.ts';
import { statusText } from '../commands/status.ts';
import { checkClockChange } from '../doctor/check-machine.ts';
import { askOnce } from '../local/ask-agent.ts';
import { startAgent } from './start-agent.ts';

const silent = createLogger('agent', { LOG_LEVEL: 'silent' });
const clock = { synchronised: async () => true };

/** A unit whose beams are lines of a simulated `gpiomon`, and its broker. */
async function unitWithLines() {
  const folder = await temporaryFolder();
  const tools = join(folder, 'gpiod');
  await mkdir(tools);
  const gpiod = await fakeGpiod(tools);
  const broker = await startBroker();
  vi.stubEnv('PATH', gpiod.env['PATH']);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await gpiod.close();
    await broker.close();
  });
  const lines = 'a: { line: GPIO17, activeLow: true }, b: { line: GPIO27, activeLow: true }';
  const config = join(folder, 'unit.yaml');
  await writeFile(
    config,
    `server: ${broker.server}\nserial: CU-1\nsecret: secret\njournal: journal\nbeams: { source: gpio, ${lines} }\n`,
  );
  return { config, journal: join(folder, 'journal'), gpiod, broker, pipe: join(tools, 'edges') };
}

/** Stops the whole process, as a system call does that the disk does not answer. */
function hang(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('counts everybody in order who walks while the disk hangs for 5 s', async () => {
  const { config, broker, pipe } = await unitWithLines();
  let hangs = 0;
  const beforeUse = () => {
    if (hangs === 0 && isWalking) {
      hangs += 1;
      hang(5_000);
    }
  };
  let isWalking = false;
  const agent = await startAgent(config, {}, silent, {
    journal: { beforeUse },
    uplink: { heartbeatEvery: 200 },
    clock,
  });
  onTestFinished(() => agent.close());
  await expect.poll(() => messagesAt(broker, 'heartbeat')).not.toEqual([]);
  isWalking = true;
  const people = 12;
  const program = fileURLToPath(new URL('../../test/walk-in-real-time.ts', import.meta.url));
  spawn(process.execPath, [program, pipe, String(people)], { stdio: 'inherit' });

  await expect.poll(() => crossingsAt(broker)).toHaveLength(people);

  expect(hangs).toBe(1);
  const walked = Array.from({ length: people }, (_, person) => (person % 2 === 0 ? 1 : -1));
  const messages = messagesAt<{ crossings: [number, number][] }>(broker, 'crossings');
  expect(messages.flatMap(({ crossings }) => crossings.map(([, direction]) => direction))).toEqual(walked);
  const instants = crossingsAt(broker).map(({ at }) => at);
  expect(instants).toEqual(instants.toSorted((a, b) => a - b));
});

test('counts people who walk while the journal is being opened', async () => {
  const { config, journal, gpiod } = await unitWithLines();
  let opens = 0;
  const beforeUse = () => {
    opens += 1;
    if (opens === 1) throw Object.assign(new Error('not yet'), { code: 'EIO' });
  };
  const starting = startAgent(config, {}, silent, { journal: { beforeUse, retryEvery: 20 }, clock });
  onTestFinished(async () => (await starting).close());
  await gpiod.pid();
  for (const before of [0, 1, 2])
    await gpiod.print(passage('GPIO17', 'GPIO27', Math.ceil(monotonicNow()) + 400 * before, 2));
  await starting;

  await expect.poll(() => askOnce(journal)).toMatchObject({ in: 3 });
});

test('reports in every heartbeat, and locally, that the reader ends after each banner', async () => {
  const { config, journal, gpiod, broker } = await unitWithLines();
  await gpiod.endAfterBanner();
  const agent = await startAgent(config, {}, silent, { uplink: { heartbeatEvery: 20 }, clock });
  onTestFinished(() => agent.close());
  const lines = () =>
    messagesAt<{ lines: { problem?: string; restarts: number } }>(broker, 'heartbeat').map(
      (sent) => sent.lines,
    );

  await expect.poll(() => lines().at(-1)?.restarts).toBeGreaterThanOrEqual(3);

  const problem = expect.stringMatching(/^gpiomon ended with 1 /);
  const failed = lines().filter(({ restarts }) => restarts > 0);
  expect(failed).toEqual(failed.map(({ restarts }) => expect.objectContaining({ restarts, problem })));
  expect(await askOnce(journal)).toMatchObject({ problem });
});

test('delivers crossings with the right instants after the clock was changed, and reports that everywhere', async () => {
  const { config, journal, gpiod, broker } = await unitWithLines();
  let change = 0;
  const wall = () => Date.now() + change;
  const agent = await startAgent(config, {}, silent, {
    clock: { ...clock, wall, pollInterval: 10 },
    uplink: { heartbeatEvery: 50 },
  });
  onTestFinished(() => agent.close());
  const heartbeat = () => messagesAt<{ at: number; clock: string }>(broker, 'heartbeat').at(-1);
  /* Edges from before the first levels would be late. */
  const readBeams = [{ broken: false }, { broken: false }];
  await expect.poll(heartbeat).toMatchObject({ clock: 'synced', beams: readBeams });
  change = 9 * 3_600_000;
  const began = Date.now();
  await gpiod.print(passage('GPIO17', 'GPIO27', Math.ceil(monotonicNow()), 2));

  await expect.poll(() => crossingsAt(broker)).toHaveLength(1);
  await expect.poll(heartbeat).toMatchObject({ clock: 'unsynced' });

  const instants = [heartbeat()?.at, crossingsAt(broker)[0]?.at];
  /* The edges may be a second ahead of the present. */
  for (const at of instants) {
    expect(at).toBeGreaterThanOrEqual(began - 1_000);
    expect(at).toBeLessThanOrEqual(Date.now() + 1_000);
  }
  const view = await askOnce(journal);
  const text = /the clock was set forward by 32400 s while the agent ran/;
  expect(view && statusText(view)).toMatch(text);
  expect(checkClockChange(view)).toMatchObject([{ verdict: 'warn', detail: expect.stringMatching(text) }]);
});
