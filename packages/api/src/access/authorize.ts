import { type Caller, callersOf, type Sent } from '@visitor-counter/database/credentials/callers';
import type { CredentialKind } from '@visitor-counter/database/credentials/credentials';
import { hashSecret } from '@visitor-counter/database/credentials/secret';
import type { Database } from '@visitor-counter/database/sql/connect';
import { nameKey } from '@visitor-counter/domain/name-key';
import { BatchedLookup } from '@visitor-counter/service/login-failures';
import type { ProblemCode } from '../problems/problem-table.ts';
import { Problem } from '../problems/problems.ts';
import type { CallerLimits } from './caller-limits.ts';

/** The credential of a request to an operation. */
interface RequestCredential {
  readonly kind: CredentialKind;
  /** As the caller has sent it. */
  readonly credential: string;
  readonly companyName: string;
  /** The IP address of the caller. */
  readonly address: string;
}

/** What a credential gives access to. */
export interface Access extends Pick<Caller, 'companyId' | 'storeIds' | 'credentialId'> {
  /** For long answers: throws `invalid_credential` when the credential no longer gives this access. */
  confirm(): Promise<void>;
}

/** Returns what a credential gives access to. Throws `invalid_credential`, and the problems of `CallerLimits.admit`. */
export type Authorize = (request: RequestCredential) => Promise<Access>;

interface AuthorizerOptions {
  readonly database: Database;
  /** Epoch ms. */
  readonly now: () => number;
  readonly limits: CallerLimits;
  /** Called for each credential that was refused, with the kind that was needed. */
  readonly onRefused: (kind: CredentialKind) => void;
}

/** A credential that a caller has sent, the key of the company that they name, and the kind that is required. */
type Wanted = Sent & Pick<Caller, 'companyKey' | 'kind'>;

/**
 * Checks the credential in the database at every request, so that a revocation works from the next one on. The company that the
 * caller names is only compared with that of the credential, so neither the answer nor its time reveals whether it exists.
 */
export function authorizer({ database, now, limits, onRefused }: AuthorizerOptions): Authorize {
  const lookup = new BatchedLookup(async (wanted: readonly Wanted[]) => {
    const callers = await callersOf(database.kysely, wanted, new Date(now()));
    const isRight = ([{ companyKey, kind }, caller]: [Wanted, Caller]) =>
      caller.companyKey === companyKey && caller.kind === kind;
    return new Map([...callers].filter(isRight));
  });
  return async ({ kind, credential, companyName, address }) => {
    const hash = hashSecret(credential);
    const sent = { by: 'credential', kind, hash, companyKey: nameKey(companyName) } as const;
    const opened = await limits.admit(sent, address, lookup, 'invalid_credential').catch((error: unknown) => {
      if (error instanceof Problem && refusals.has(error.code)) onRefused(kind);
      throw error;
    });
    const confirm = async () => {
      const still = await lookup.findAlone(sent);
      if (still === undefined || String(still.storeIds) !== String(opened.storeIds))
        throw new Problem('invalid_credential');
    };
    return { ...opened, confirm };
  };
}

/** The answers to a wrong credential. */
const refusals: ReadonlySet<ProblemCode> = new Set(['invalid_credential', 'too_many_failures']);

/** The key in an `Authorization` header: `<key>`, or `Bearer <key>` with the scheme in any case; empty without one. */
export function keyOf(authorization: string): string {
  return authorization.trim().replace(/^bearer(\s+|$)/i, '');
}
