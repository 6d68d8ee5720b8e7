import type { EpochMs } from '@visitor-counter/domain/time';
import type { Logger } from '@visitor-counter/service/logger';
import type { Beams } from '../beams/beams.ts';
import type { UnitClock } from '../clock/unit-clock.ts';
import type { CrossingDetector } from '../detector/crossing-detector.ts';
import type { Journal } from '../journal/journal.ts';
import type { NewCrossing } from '../journal/record-codec.ts';
import { blockedAlarm } from './door-alarms.ts';
import { recordCrossings } from './record-crossings.ts';
import type { Tally } from './tally.ts';

export interface Recording {
  readonly beams: Beams;
  readonly detector: CrossingDetector;
  readonly journal: Journal;
  readonly clock: UnitClock;
  readonly resumeAfter: EpochMs | undefined;
  readonly tally: Tally;
  readonly report: () => void;
}

/**
 * Records until the returned function is called. A unit that cannot record must not look as though it did:
 * when the source or the journal fails, the process ends, and a new start repairs the journal.
 */
export function startRecording({ tally, report, ...parts }: Recording, log: Logger): () => Promise<void> {
  const stopping = new AbortController();
  const alarm = blockedAlarm(parts.detector, log, report);
  const onCrossings = (crossings: readonly NewCrossing[]) => tally.add(crossings);
  const onGivenUp = (crossings: number) => {
    tally.givenUp += crossings;
    log.error({ crossings, all: tally.givenUp }, 'crossings lost: no room on the disk or in memory');
  };
  const recording = { ...parts, onBatch: alarm, onCrossings, onGivenUp };
  const ended = recordCrossings(recording, stopping.signal).catch((error: unknown) => {
    log.fatal({ err: error }, 'crossings not recorded any more');
    process.exit(1);
  });
  return async () => {
    stopping.abort();
    await ended;
  };
}
