import type { Database } from '@visitor-counter/database/sql/connect';
import type { KnownStores } from '@visitor-counter/database/stores/stores';
import type { Access, Authorize } from '../../access/authorize.ts';
import type { ExportSlots } from '../../access/export-slots.ts';
import type { ReadCall } from './operation.ts';

/** What the operations use. */
export interface Resources {
  readonly database: Database;
  readonly authorize: Authorize;
  readonly exports: ExportSlots;
  readonly stores: KnownStores;
  /** Epoch ms. */
  readonly now: () => number;
}

/** The credential of the count operations. */
export interface TokenValues {
  readonly CompanyName: string;
  readonly Token: string;
}

/** What the call's Token gives access to. Throws what `authorize` throws. */
export function accessByToken(
  authorize: Authorize,
  { parameters, address }: ReadCall<TokenValues>,
): Promise<Access> {
  return authorize({
    kind: 'counts',
    credential: parameters.text('Token'),
    companyName: parameters.text('CompanyName'),
    address,
  });
}
