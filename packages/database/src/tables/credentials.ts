import type { Generated, GeneratedAlways } from 'kysely';
import type { GeneratedInstant, Instant, NullableInstant } from './columns.ts';

export interface CredentialTables {
  credential: CredentialTable;
  credential_store: { credential_id: number; store_id: number };
  session: SessionTable;
}

export type CredentialKind = 'counts' | 'life-signal' | 'staff';

interface CredentialTable {
  id: GeneratedAlways<number>;
  company_id: number;
  kind: CredentialKind;
  label: string;
  /** SHA-256 of the credential. */
  hash: Buffer;
  /** Opens only the stores of `credential_store`. */
  limited: Generated<boolean>;
  created_at: GeneratedInstant;
  expires_at: NullableInstant;
  revoked_at: NullableInstant;
  last_used_at: NullableInstant;
}

interface SessionTable {
  /** SHA-256 of the content of the cookie. */
  hash: Buffer;
  credential_id: number;
  created_at: Instant;
  expires_at: Instant;
}
