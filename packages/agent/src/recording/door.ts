import type { Beams, Edge, Restart } from '../beams/beams.ts';
import type { UnitClock } from '../clock/unit-clock.ts';
import type { DoorConfig } from '../config/agent-config.ts';
import type { Detector } from '../detector/detector.ts';
import type { Journal } from '../journal/journal.ts';
import type { Uplink } from '../uplink/uplink.ts';
import type { Tally } from './door-reports.ts';

/** A running door: a device with its own beams, journal and connection. */
export interface Door {
  readonly config: DoorConfig;
  /** Of the unit: all its doors have the same. */
  readonly clock: UnitClock;
  readonly beams: Beams;
  readonly detector: Detector;
  readonly journal: Journal;
  readonly uplink: Uplink;
  readonly tally: Tally;
  /** Called with each batch of edges that is recorded. */
  readonly edgeListeners: Set<EdgeListener>;
}

export type EdgeListener = (batch: readonly (Edge | Restart)[]) => void;
