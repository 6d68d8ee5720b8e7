import type { Kysely, RawBuilder } from 'kysely';
import { companyId, timestamp } from '../stores/references.ts';
import type { CredentialKind, Schema } from '../tables/schema.ts';

export interface NewCredential {
  readonly kind: CredentialKind;
  readonly label: string;
  readonly hash: Buffer;
  /** Epoch ms; null for never. */
  readonly expires: number | null;
}

export async function insertCredential(
  db: Kysely<Schema>,
  companyKey: string,
  { kind, label, hash, expires }: NewCredential,
): Promise<void> {
  await db
    .insertInto('credential')
    .values({ company_id: companyId(companyKey), kind, label, hash, expires_at: expiresAt(expires) })
    .execute();
}

/** The fields of a credential to change; fields that are left out stay as they are. */
export interface CredentialFields {
  readonly hash?: Buffer;
  readonly expires?: number | null;
  readonly revoked?: boolean;
}

/** Changes the given fields, at least one. */
export async function updateCredential(
  db: Kysely<Schema>,
  id: number,
  { hash, expires, revoked }: CredentialFields,
): Promise<void> {
  await db
    .updateTable('credential')
    .set({
      ...(hash === undefined ? {} : { hash }),
      ...(expires === undefined ? {} : { expires_at: expiresAt(expires) }),
      ...(revoked === undefined ? {} : { revoked_at: revoked ? new Date() : null }),
    })
    .where('id', '=', id)
    .execute();
}

function expiresAt(expires: number | null): RawBuilder<Date> | null {
  return expires === null ? null : timestamp(expires);
}
