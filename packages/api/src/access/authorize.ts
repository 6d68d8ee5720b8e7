import { credentialFacts } from '@visitor-counter/database/credentials/credential';
import { hashSecret } from '@visitor-counter/database/credentials/secret';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Sight } from '@visitor-counter/database/stores/store-facts';
import type { CredentialKind } from '@visitor-counter/database/tables/schema';
import { nameKey } from '@visitor-counter/domain/name-key';
import { BatchedLookup } from '@visitor-counter/service/batched-lookup';
import type { ApiInstruments } from '../http/api-instruments.ts';
import { Problem } from '../problems/problem.ts';
import { invalidCredential } from '../problems/problems.ts';
import type { CallerLimits } from './caller-limits.ts';
import type { NoteUse } from './note-use.ts';
import { type Claim, type Verdict, verdict } from './verdict.ts';

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

/** Says what a credential opens. Throws `invalid_credential`, and what the limits of callers throw. */
export type Authorize = (presented: Presented) => Promise<Access>;

export interface AuthorizerOptions {
  readonly database: Database;
  /** Epoch ms. */
  readonly now: () => number;
  readonly noteUse: NoteUse;
  readonly limits: CallerLimits;
}

interface CompanyClaim extends Claim {
  readonly companyKey: string;
}

/** Asks the database at every request, so that a revocation works from the next one on. */
export function authorizer({ database, now, noteUse, limits }: AuthorizerOptions): Authorize {
  const lookUp = async (claims: readonly CompanyClaim[]): Promise<Map<CompanyClaim, Verdict>> => {
    const facts = await credentialFacts(database.kysely, claims);
    const judged = claims.map((claim, index) => [claim, verdict(facts[index], claim, now())] as const);
    return new Map(judged.flatMap(([claim, found]) => (found ? [[claim, found]] : [])));
  };
  const lookups = new BatchedLookup(lookUp);
  return async ({ kind, credential, companyName, address }) => {
    const claim = { kind, hash: hashSecret(credential), companyKey: nameKey(companyName) };
    const find = async () => (await lookUp([claim])).get(claim);
    const judged = await limits.admit({
      ...{ address, shown: claim.hash, refusal: invalidCredential },
      ...{ atOnce: find, inTurn: (from) => lookups.find(from, claim) },
    });
    noteUse(judged.credentialId);
    const confirm = async () => {
      const still = await find();
      if (still === undefined || String(still.storeIds) !== String(judged.storeIds))
        throw invalidCredential();
    };
    return { ...judged, confirm };
  };
}

/** What a wrong credential is answered with. */
const refusals: ReadonlySet<string> = new Set(['invalid_credential', 'too_many_failures']);

/** The same, and what does not open what it was shown for is counted: somebody guesses, or has an old one. */
export function countingRefusals(authorize: Authorize, instruments: ApiInstruments): Authorize {
  return async (presented) => {
    try {
      return await authorize(presented);
    } catch (error) {
      if (error instanceof Problem && refusals.has(error.code)) instruments.credentialRefused(presented.kind);
      throw error;
    }
  };
}
