import { setImmediate } from 'node:timers/promises';
import { createLogger } from '@visitor-counter/service/logger';
import { afterEach, expect, test, vi } from 'vitest';
import { memoryFileSystem } from '../../test/memory-file-system.ts';
import { monotonicMs } from '../clock/time.ts';
import { UnitClock } from '../clock/unit-clock.ts';
import { openJournal } from '../journal/open-journal.ts';
import { determineInstants } from './determine-instants.ts';

const boot = '11111111-0000-4000-8000-000000000000';
const right = Date.UTC(2026, 10, 21);

afterEach(() => void vi.useRealTimers());

test('a clock that starts in 2025 and jumps to today leaves every crossing with its true instant', async () => {
  const machine = { monotonic: 10_000, wall: Date.UTC(2025, 0, 1), synchronised: false };
  const clock = await UnitClock.start({
    boot,
    monotonic: () => monotonicMs(machine.monotonic),
    wall: () => machine.wall,
    synchronised: async () => machine.synchronised,
    pollInterval: 1,
    gatewayTimeAfter: 300_000,
  });
  const journal = await openJournal('/', { files: memoryFileSystem(new Map()), boot });
  const stop = determineInstants(journal, clock, createLogger('test', { LOG_LEVEL: 'silent' }));
  const walk = () => {
    const moment = machine.monotonic;
    return journal.append([
      { direction: 1, ...clock.instantAt(monotonicMs(moment)), moment: monotonicMs(moment) },
    ]);
  };
  await walk();
  machine.monotonic += 60_000;
  await walk();
  expect(await journal.read(1, 5)).toEqual([]);
  Object.assign(machine, { monotonic: 100_000, wall: right, synchronised: true });
  await expect.poll(() => journal.read(1, 5)).toHaveLength(2);
  await walk();
  const instants = (await journal.read(1, 5)).map(({ at }) => at);
  expect(instants).toEqual([right - 90_000, right - 30_000, right]);
  await stop();
  clock.close();
  await journal.close();
});

/** A clock of a unit that is synchronised from the start, `right` at 100 s after its boot. */
function rightClock(): Promise<UnitClock> {
  return UnitClock.start({
    boot,
    monotonic: () => monotonicMs(100_000),
    wall: () => right,
    synchronised: async () => true,
    pollInterval: 1,
    gatewayTimeAfter: 300_000,
  });
}

test('waits at a stop for instants that are being stored, and does not store them again if the disk fails', async () => {
  const clock = await rightClock();
  const memory = memoryFileSystem(new Map());
  const disk = Promise.withResolvers<never>();
  const tried: string[] = [];
  const create = (path: string) => {
    if (!path.startsWith('/clocks')) return memory.create(path);
    tried.push(path);
    return disk.promise;
  };
  const journal = await openJournal('/', { files: { ...memory, create }, boot });
  await journal.append([{ direction: 1, at: 0, moment: monotonicMs(10_000), isDated: false }]);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const stop = determineInstants(journal, clock, createLogger('test', { LOG_LEVEL: 'silent' }));
  let hasStopped = false;
  const stopped = stop().then(() => {
    hasStopped = true;
  });
  await setImmediate();
  expect(hasStopped).toBe(false);
  disk.reject(Object.assign(new Error('EIO'), { code: 'EIO' }));
  await stopped;
  await journal.close();
  expect(tried).toEqual(['/clocks.json.new']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tried).toHaveLength(1);
});

test('determines the instant of a crossing that becomes durable while those of an earlier boot are stored', async () => {
  const contents = new Map();
  const memory = memoryFileSystem(contents);
  const undated = { direction: 1, at: 0, moment: monotonicMs(10_000), isDated: false } as const;
  const earlier = await openJournal('/', { files: memory, boot: '00000000-0000-4000-8000-000000000000' });
  await earlier.append([undated]);
  await earlier.close();
  const clock = await rightClock();
  const disk = Promise.withResolvers<void>();
  const create = async (path: string) => {
    if (path.startsWith('/clocks')) await disk.promise;
    return memory.create(path);
  };
  const journal = await openJournal('/', { files: { ...memory, create }, boot });
  const stop = determineInstants(journal, clock, createLogger('test', { LOG_LEVEL: 'silent' }));
  await journal.append([undated]);
  disk.resolve();
  await expect.poll(() => journal.read(2, 5)).toMatchObject([{ sequence: 2, at: right - 90_000 }]);
  await stop();
  clock.close();
  await journal.close();
});
