import type { Database } from '@visitor-counter/database/sql/connect';
import type { Budgets } from '@visitor-counter/service/budgets';
import type { Callers } from './access/callers.ts';
import type { Places } from './access/places.ts';
import type { Snapshots } from './snapshots/snapshots.ts';
import type { UnitSettings } from './v1/enrolment.ts';
import type { LiveHub } from './v1/live/live-hub.ts';

/** What operations and routes use. */
export interface Resources {
  readonly database: Database;
  /** Where ranges are read from. */
  readonly snapshots: Snapshots;
  readonly callers: Callers;
  /** Places for ranges, for live streams, and for all other answers. */
  readonly exports: Places;
  readonly streams: Places;
  readonly answers: Places;
  readonly hub: LiveHub;
  readonly units: UnitSettings;
  /** Attempts to enrol that enrolled no unit. */
  readonly enrolmentFailures: Budgets;
  /** Whether a credential may cross a network without TLS. */
  readonly plainSignIn: boolean;
  /** Epoch ms. */
  readonly now: () => number;
}
