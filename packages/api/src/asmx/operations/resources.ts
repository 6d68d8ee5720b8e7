import type { Database } from '@visitor-counter/database/sql/connect';
import type { KnownStores } from '@visitor-counter/database/stores/known-stores';
import type { Authorize } from '../../access/authorize.ts';
import type { ExportSlots } from '../../access/export-slots.ts';

/** What the operations work with. */
export interface Resources {
  readonly database: Database;
  readonly authorize: Authorize;
  readonly exports: ExportSlots;
  readonly stores: KnownStores;
  /** Epoch ms. */
  readonly now: () => number;
}
