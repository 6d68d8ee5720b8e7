import { sql } from 'kysely';
import type { Reader } from '../sql/snapshot.ts';
import type { CredentialKind } from '../tables/schema.ts';

/** What is known of the company and of the credential that a caller named, each whether or not the other is. */
export interface CredentialFacts {
  readonly company_id: number | null;
  readonly id: number | null;
  readonly owner_id: number | null;
  readonly kind: CredentialKind | null;
  readonly hash: Buffer | null;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  /** The stores that it is limited to, by id; null without a limit. */
  readonly store_ids: readonly number[] | null;
}

/** A company, by the key of its name, and a credential, by its SHA-256. */
export interface CredentialClaim {
  readonly companyKey: string;
  readonly hash: Buffer;
}

/**
 * Looks companies and credentials up, in the order of the claims. One statement, and for each claim one row and the
 * same two index lookups whatever exists, so that neither the answer nor its time shows which of the two was wrong.
 * Throws like `requireRestored`.
 */
export async function credentialFacts(
  db: Reader,
  claims: readonly CredentialClaim[],
): Promise<CredentialFacts[]> {
  const [companyKeys, hashes] = [claims.map(({ companyKey }) => companyKey), claims.map(({ hash }) => hash)];
  const { rows } = await sql<CredentialFacts>`
    select company.id as company_id, credential.id, credential.company_id as owner_id,
      credential.kind, credential.hash, credential.expires_at, credential.revoked_at,
      ${storesOfCredential('credential')} as store_ids, require_restored()
    from unnest(${companyKeys}::text[], ${hashes}::bytea[]) with ordinality as claim (company_key, hash, n)
    left join company on company.name_key = claim.company_key
    left join credential on credential.hash = claim.hash
    order by claim.n`.execute(db);
  return rows;
}

/** The ids of the stores that a credential, given by its alias, is limited to; null without a limit. */
export function storesOfCredential(alias: string) {
  const { limited, id } = { limited: sql.ref(`${alias}.limited`), id: sql.ref(`${alias}.id`) };
  return sql`case when ${limited} then array(
    select store_id from credential_store where credential_id = ${id} order by store_id
  ) end`;
}

/** Keeps when a credential was last used; never goes back in time. */
export async function noteCredentialUse(db: Reader, id: number, at: Date): Promise<void> {
  await db
    .updateTable('credential')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .where((is) => is.or([is('last_used_at', 'is', null), is('last_used_at', '<', at)]))
    .execute();
}
