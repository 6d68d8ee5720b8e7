import type { Database } from '@visitor-counter/database/connect';
import { credentialFacts } from '@visitor-counter/database/reading/credential';
import type { Sight } from '@visitor-counter/database/reading/store-facts';
import type { CredentialKind } from '@visitor-counter/database/schema';
import { hashSecret } from '@visitor-counter/database/secret';
import { nameKey } from '@visitor-counter/domain/name-key';
import { invalidCredential } from '../problems.ts';
import type { NoteUse } from './note-use.ts';
import { verdict } from './verdict.ts';

/** What a caller shows to be let in. */
export interface Presented {
  readonly kind: CredentialKind;
  readonly credential: string;
  readonly companyName: string;
  /** Where the caller is. */
  readonly address: string;
}

/** What a credential opens. */
export interface Access extends Sight {
  readonly credentialId: number;
  /** For answers that take long: throws `invalid_credential` once the credential opens this no more. */
  confirm(): Promise<void>;
}

/** Says what a credential opens. Throws `invalid_credential`. */
export type Authorize = (presented: Presented) => Promise<Access>;

/** Asks the database at every request, so that a revocation works from the next one on. */
export function authorizer(database: Database, now: () => number, noteUse: NoteUse): Authorize {
  return async ({ kind, credential, companyName }) => {
    const hash = hashSecret(credential);
    const companyKey = nameKey(companyName);
    const judge = async () => {
      const facts = await credentialFacts(database.kysely, companyKey, hash);
      const judged = verdict(facts, { kind, hash }, now());
      if (judged === undefined) throw invalidCredential();
      return judged;
    };
    const judged = await judge();
    noteUse(judged.credentialId);
    const confirm = async () => {
      const { storeIds } = await judge();
      if (String(storeIds) !== String(judged.storeIds)) throw invalidCredential();
    };
    return { ...judged, confirm };
  };
}
