import { createLogger } from '@visitor-counter/service/logger';
import { expect, test } from 'vitest';
import { faultyDisk, temporaryJournal } from '../../test/temporary-journal.ts';
import { unknownLevels } from '../beams/beams.ts';
import { monotonicMs } from '../clock/time.ts';
import { Detector } from '../detector/detector.ts';
import { beamsAlarm, storageAlarm } from './door-reports.ts';

/** What is reported of beam `a`, and logged, while a detector processes events. */
function watchedDetector() {
  const detector = new Detector({}, { a: false, b: false }, monotonicMs(0));
  const reported: string[] = [];
  const logged: string[] = [];
  const log = createLogger('test', {}, { write: (line) => void logged.push(JSON.parse(line).msg) });
  const report = () => void reported.push(detector.beams.a?.state ?? 'missing');
  const health: { problem: string | undefined } = { problem: undefined };
  const checkBeams = beamsAlarm({ health }, detector, log, report);
  const advance = (...moments: number[]) => {
    for (const now of moments) {
      detector.advance(monotonicMs(now));
      checkBeams();
    }
  };
  return { detector, health, reported, logged, advance };
}

test('reports once that the lines cannot be read, and once that they are read again', () => {
  const { health, reported, advance } = watchedDetector();
  health.problem = 'gpiomon ended with 1';
  advance(1_000, 1_100);
  health.problem = undefined;
  advance(1_200, 1_300);
  expect(reported).toHaveLength(2);
});

test('reports a beam once when it is blocked for too long, and once when it is clear again', () => {
  const { detector, reported, logged, advance } = watchedDetector();

  detector.edge({ at: monotonicMs(1_000), beam: 'a', broken: true });
  advance(2_000, 30_000, 31_500, 60_000);
  detector.edge({ at: monotonicMs(70_000), beam: 'a', broken: false });
  advance(71_000, 71_000);

  expect(reported).toEqual(['blocked', 'clear']);
  expect(logged).toEqual(['beam blocked: nothing is counted', 'beam clear again']);
});

test('reports beams that cannot be read for too long as blocked, and does not log that something blocks them', () => {
  const { detector, reported, logged, advance } = watchedDetector();

  detector.restart({ at: monotonicMs(1_000), levels: unknownLevels });
  advance(30_000, 31_500, 60_000);

  expect(reported).toEqual(['blocked', 'blocked']);
  expect(logged).toEqual([]);
});

test.each([
  ['ENOSPC', 'full'],
  ['EIO', 'failed'],
])('logs why crossings are only in memory: %s', async (code, problem) => {
  const { disk, beforeUse } = faultyDisk();
  const lines: unknown[] = [];
  const log = createLogger('test', {}, { write: (line) => void lines.push(JSON.parse(line)) });
  const journal = await temporaryJournal({ beforeUse });
  storageAlarm(journal, log, () => {});

  disk.code = code;
  journal.append([{ at: 1_000, direction: 1 }]);

  expect(lines).toMatchObject([{ level: 50, problem, msg: 'crossings cannot be stored: only in memory' }]);
});
