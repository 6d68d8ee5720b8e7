import type { IncomingHttpHeaders } from 'node:http';
import type { Database } from '@visitor-counter/database/connect';
import {
  type CallerRow,
  callerOfCredential,
  callerOfSession,
  validProofs,
} from '@visitor-counter/database/reading/callers';
import type { Sight } from '@visitor-counter/database/reading/store-facts';
import type { CredentialKind } from '@visitor-counter/database/schema';
import { hashSecret } from '@visitor-counter/database/secret';
import { keyOf } from '../access/authorization-header.ts';
import type { CallerLimits } from '../access/caller-limits.ts';
import type { NoteUse } from '../access/note-use.ts';
import { sessionOf } from '../session/session-cookie.ts';
import { unauthenticated } from './v1-problems.ts';

/** Who makes a request, and what they see. */
export interface Caller extends Sight {
  readonly company: string;
  readonly credentialId: number;
  readonly kind: CredentialKind;
  readonly label: string;
  /** Epoch ms; null for never. */
  readonly expiresAt: number | null;
  /** What the caller showed. */
  readonly proof: Proof;
}

/** SHA-256 of a credential, or of a session's cookie. */
export type Proof =
  | { readonly by: 'credential'; readonly hash: Buffer }
  | { readonly by: 'session'; readonly hash: Buffer; readonly expiresAt: number };

interface CallersOptions {
  readonly database: Database;
  /** Epoch ms. */
  readonly now: () => number;
  readonly noteUse: NoteUse;
  readonly limits: CallerLimits;
}

/** Asks the database at every request, so that a revocation works from the next one on. */
export class Callers {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #noteUse: NoteUse;
  readonly #limits: CallerLimits;

  constructor({ database, now, noteUse, limits }: CallersOptions) {
    this.#database = database;
    this.#now = now;
    this.#noteUse = noteUse;
    this.#limits = limits;
  }

  /**
   * By the `Authorization` header where there is one, else by the session's cookie. Throws `unauthenticated`, and
   * what the limits of callers throw.
   */
  async identify(headers: IncomingHttpHeaders, address: string): Promise<Caller> {
    const session = sessionOf(headers.cookie);
    if (headers.authorization !== undefined) {
      const hash = hashSecret(keyOf(headers.authorization));
      return await this.#admit(address, hash, () => this.byCredential(hash));
    }
    if (session === undefined) throw unauthenticated();
    const hash = hashSecret(session);
    return await this.#admit(address, hash, () => this.bySession(hash));
  }

  /** The caller whose credential this is. Throws like `identify`. */
  signIn(token: string, address: string): Promise<Caller> {
    const hash = hashSecret(token);
    return this.#admit(address, hash, () => this.byCredential(hash));
  }

  async #admit(address: string, hash: Buffer, find: () => Promise<Caller | undefined>): Promise<Caller> {
    const caller = await this.#limits.admit(address, hash, async () => {
      const found = await find();
      if (found === undefined) throw unauthenticated();
      return found;
    });
    this.#noteUse(caller.credentialId);
    return caller;
  }

  async byCredential(hash: Buffer): Promise<Caller | undefined> {
    const row = await callerOfCredential(this.#database.kysely, hash, new Date(this.#now()));
    return row && callerOf(row, { by: 'credential', hash });
  }

  async bySession(hash: Buffer): Promise<Caller | undefined> {
    const row = await callerOfSession(this.#database.kysely, hash, new Date(this.#now()));
    const expiresAt = row?.session_expires_at?.getTime() ?? 0;
    return row && callerOf(row, { by: 'session', hash, expiresAt });
  }

  /** Those of many callers who still see what they saw; by one statement. */
  async stillValid(callers: readonly Caller[]): Promise<ReadonlySet<Caller>> {
    const hashes = (by: Proof['by']) => {
      const shown = callers.filter(({ proof }) => proof.by === by).map(({ proof }) => proof.hash);
      return [...new Map(shown.map((hash) => [hash.toString('hex'), hash])).values()];
    };
    const proofs = { credentials: hashes('credential'), sessions: hashes('session') };
    const valid = await validProofs(this.#database.kysely, proofs, new Date(this.#now()));
    const keys = new Set(valid.map(({ by, hash, store_ids }) => keyOfSight(by, hash, store_ids)));
    return new Set(
      callers.filter(({ proof, storeIds }) => keys.has(keyOfSight(proof.by, proof.hash, storeIds))),
    );
  }
}

function keyOfSight(by: Proof['by'], hash: Buffer, storeIds: readonly number[] | null): string {
  return `${by} ${hash.toString('hex')} ${storeIds}`;
}

function callerOf(row: CallerRow, proof: Proof): Caller {
  return {
    companyId: row.company_id,
    company: row.company_name,
    storeIds: row.store_ids,
    credentialId: row.credential_id,
    kind: row.kind,
    label: row.label,
    expiresAt: row.expires_at?.getTime() ?? null,
    proof,
  };
}
