import { createLogger } from '@visitor-counter/service/logger';
import { expect, test } from 'vitest';
import { crossingsOf, temporaryJournal } from '../../test/temporary-journal.ts';
import { monotonicMs } from '../clock/time.ts';
import { UnitClock } from '../clock/unit-clock.ts';
import { determineInstants } from './determine-instants.ts';

const boot = '11111111-0000-4000-8000-000000000000';
const right = Date.UTC(2026, 10, 21);

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
  const journal = await temporaryJournal({ boot });
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
  expect(crossingsOf(journal)).toEqual([]);
  Object.assign(machine, { monotonic: 100_000, wall: right, synchronised: true });
  await expect.poll(() => crossingsOf(journal)).toHaveLength(2);
  await walk();
  const instants = crossingsOf(journal).map(({ at }) => at);
  expect(instants).toEqual([right - 90_000, right - 30_000, right]);
  await stop();
  clock.close();
});
