import type { Database } from '@visitor-counter/database/sql/connect';
import type { Callers } from './access/callers.ts';
import type { Places } from './access/places.ts';
import type { Snapshots } from './snapshots/snapshots.ts';

/** What operations and routes use. */
export interface Resources {
  readonly database: Database;
  /** Where ranges are read from. */
  readonly snapshots: Snapshots;
  readonly callers: Callers;
  /** Places for ranges, and for all other answers. */
  readonly exports: Places;
  readonly answers: Places;
  /** Epoch ms. */
  readonly now: () => number;
}
