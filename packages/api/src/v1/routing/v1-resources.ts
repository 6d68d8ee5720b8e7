import type { Database } from '@visitor-counter/database/sql/connect';
import type { ExportSlots } from '../../access/export-slots.ts';

/** What the routes work with. */
export interface V1Resources {
  readonly database: Database;
  /** Places for long readings. */
  readonly exports: ExportSlots;
  /** Epoch ms. */
  readonly now: () => number;
}
