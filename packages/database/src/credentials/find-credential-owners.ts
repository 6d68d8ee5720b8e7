import { type Kysely, sql } from 'kysely';
import type { CredentialKind, Schema } from '../tables/schema.ts';

/** Whose a credential's value is. */
export interface CredentialOwner {
  /** SHA-256 of the value. */
  readonly hash: Uint8Array;
  readonly companyKey: string;
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
}

/** The credentials of all companies that have one of these values, given as their SHA-256. */
export async function findCredentialOwners(
  db: Kysely<Schema>,
  hashes: readonly Buffer[],
): Promise<CredentialOwner[]> {
  return db
    .selectFrom('credential')
    .innerJoin('company', 'company.id', 'credential.company_id')
    .select(['company.name_key as companyKey', 'company.name as company', 'kind', 'label', 'hash'])
    .where('hash', '=', sql<Buffer>`any(${hashes}::bytea[])`)
    .execute();
}
