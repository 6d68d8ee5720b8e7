import { createLogger } from '@visitor-counter/service/logger';
import { expect, test } from 'vitest';
import { monotonicMs } from '../clock/time.ts';
import { Detector } from '../detector/detector.ts';
import { blockedBeamAlarm } from './door-reports.ts';

test('reports a beam once when it is blocked for too long, and once when it is clear again', () => {
  const detector = new Detector({}, { a: false, b: false }, monotonicMs(0));
  const reported: string[] = [];
  const log = createLogger('test', { LOG_LEVEL: 'silent' });
  const report = () => void reported.push(detector.beams.a?.state ?? 'missing');
  const checkBeams = blockedBeamAlarm(detector, log, report);

  detector.edge({ at: monotonicMs(1_000), beam: 'a', broken: true });
  for (const now of [2_000, 30_000, 31_500, 60_000]) {
    detector.advance(monotonicMs(now));
    checkBeams();
  }
  detector.edge({ at: monotonicMs(70_000), beam: 'a', broken: false });
  detector.advance(monotonicMs(71_000));
  checkBeams();
  checkBeams();

  expect(reported).toEqual(['blocked', 'clear']);
});
