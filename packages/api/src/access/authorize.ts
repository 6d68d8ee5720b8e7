import type { Database } from '@visitor-counter/database/connect';
import { credentialFacts } from '@visitor-counter/database/reading/credential';
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
}

/** Gives the id of the company that the credential opens. Throws `invalid_credential`. */
export type Authorize = (presented: Presented) => Promise<number>;

/** Asks the database at every request, so that a revocation works from the next one on. */
export function authorizer(database: Database, now: () => number, noteUse: NoteUse): Authorize {
  return async ({ kind, credential, companyName }) => {
    const hash = hashSecret(credential);
    const facts = await credentialFacts(database.kysely, nameKey(companyName), hash);
    const access = verdict(facts, { kind, hash }, now());
    if (access === undefined) throw invalidCredential();
    noteUse(access.credentialId);
    return access.companyId;
  };
}
