import { timingSafeEqual } from 'node:crypto';
import type { CredentialFacts } from '@visitor-counter/database/credentials/credential';
import type { Sight } from '@visitor-counter/database/stores/store-facts';
import type { CredentialKind } from '@visitor-counter/database/tables/schema';

/** What a caller may read: everything of one company, or of some of its stores. */
export interface Verdict extends Sight {
  readonly credentialId: number;
}

/** What a caller presented. */
export interface Claim {
  readonly kind: CredentialKind;
  /** SHA-256 of the credential. */
  readonly hash: Buffer;
}

const noHash = Buffer.alloc(32);

/** Decides whether a credential opens a company now (epoch ms); undefined for every reason why it does not. */
export function verdict(facts: CredentialFacts | undefined, claim: Claim, now: number): Verdict | undefined {
  const same = timingSafeEqual(facts?.hash ?? noHash, claim.hash);
  if (!same || facts === undefined || facts.company_id === null || facts.id === null) return undefined;
  const valid =
    facts.owner_id === facts.company_id &&
    facts.kind === claim.kind &&
    facts.revoked_at === null &&
    (facts.expires_at === null || facts.expires_at.getTime() > now);
  if (!valid) return undefined;
  return { companyId: facts.company_id, credentialId: facts.id, storeIds: facts.store_ids };
}
