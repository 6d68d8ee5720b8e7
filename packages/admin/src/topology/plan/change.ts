import type { CredentialKind, Schema } from '@visitor-counter/database/tables/schema';
import type { Transaction } from 'kysely';

/** One thing that applying a file changed, as `--json` prints it. */
export interface Change {
  readonly action: 'created' | 'changed' | 'moved';
  readonly kind: 'company' | 'store' | 'shopGroup' | 'device' | 'credential' | 'alertRule' | 'alertTarget';
  /** Its name, sid or serial; `<kind>/<label>` of a credential. */
  readonly key: string;
  readonly company: string;
  /** What changed, by the names of the file; left out for what was created. */
  readonly fields?: readonly string[];
  /** How many stored crossings a moved device took along. */
  readonly crossings?: number;
}

/**
 * A change and how to make it; changes are made in the order in which they are planned. A move tells how
 * many crossings went with it.
 */
export type PlannedChange =
  | { readonly change: Change; readonly write: (trx: Transaction<Schema>) => Promise<void> }
  | { readonly change: Change; readonly move: (trx: Transaction<Schema>) => Promise<number> };

/** A secret that was generated, and is shown this once. */
export type NewSecret =
  | { readonly kind: 'device'; readonly company: string; readonly serial: string; readonly secret: string }
  | {
      readonly kind: 'credential';
      readonly company: string;
      readonly credentialKind: CredentialKind;
      readonly label: string;
      readonly value: string;
    }
  | {
      readonly kind: 'alertTarget';
      readonly company: string;
      readonly label: string;
      readonly secret: string;
    };
