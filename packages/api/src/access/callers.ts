import type { Author } from '@visitor-counter/database/audit/record-audit';
import {
  type CallerRow,
  callersOfCredentials,
  callersOfSessions,
  validProofs,
} from '@visitor-counter/database/credentials/callers';
import { hashSecret } from '@visitor-counter/database/credentials/secret';
import { requireRestored } from '@visitor-counter/database/crossings/history';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Sight } from '@visitor-counter/database/stores/stores';
import type { CredentialKind } from '@visitor-counter/database/tables/schema';
import { BatchedLookup } from '@visitor-counter/service/login-failures';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems/problems.ts';
import { keyOf } from './authorize.ts';
import type { CallerLimits } from './caller-limits.ts';
import { sessionOf } from './sessions.ts';

/** The authenticated user of a request, and the stores they see. */
export interface Caller extends Sight {
  readonly company: string;
  readonly credentialId: number;
  readonly kind: CredentialKind;
  readonly label: string;
  /** Epoch ms; null for never. */
  readonly expiresAt: number | null;
  /** How the caller authenticated. */
  readonly proof: Proof;
}

/** The caller as the author of a change, under the name that they give, for a request from the address `origin`. */
export function authorOf({ label }: Pick<Caller, 'label'>, name: string, origin: string): Author {
  return { kind: 'staff', name, credential: label, origin };
}

/** SHA-256 of a credential, or of a session's cookie. */
export type Proof =
  | { readonly by: 'credential'; readonly hash: Buffer }
  | { readonly by: 'session'; readonly hash: Buffer; readonly expiresAt: number };

interface CallersOptions {
  readonly database: Database;
  /** Epoch ms. */
  readonly now: () => number;
  readonly limits: CallerLimits;
}

/** Checks the database at every request, so that a revocation works from the next one on. */
export class Callers {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #limits: CallerLimits;
  /** For callers whose address has failed too often. */
  readonly #batched: Readonly<Record<Proof['by'], BatchedLookup<string, Caller>>>;

  constructor({ database, now, limits }: CallersOptions) {
    this.#database = database;
    this.#now = now;
    this.#limits = limits;
    this.#batched = {
      credential: new BatchedLookup((hashes) => this.#find('credential', hashes)),
      session: new BatchedLookup((hashes) => this.#find('session', hashes)),
    };
  }

  /**
   * By the `Authorization` header where there is one, else by the session's cookie. Throws `unauthenticated`, and
   * what the limits of callers throw.
   */
  async identify(request: FastifyRequest): Promise<Caller> {
    const { authorization } = request.headers;
    if (authorization !== undefined) return await this.#admit('credential', keyOf(authorization), request.ip);
    const session = sessionOf(request);
    if (session === undefined) throw new Problem('unauthenticated');
    return await this.#admit('session', session, request.ip);
  }

  /** The caller whose credential this is. Throws like `identify`. */
  signIn(token: string, address: string): Promise<Caller> {
    return this.#admit('credential', token, address);
  }

  /** The caller of a session, by the SHA-256 of its cookie. */
  async bySession(hash: Buffer): Promise<Caller | undefined> {
    const key = hash.toString('hex');
    return (await this.#find('session', [key])).get(key);
  }

  async #admit(by: Proof['by'], value: string, address: string): Promise<Caller> {
    const hash = hashSecret(value);
    const key = hash.toString('hex');
    return await this.#limits.admit({
      ...{ address, hash, refusal: 'unauthenticated' },
      lookUp: async () => (await this.#find(by, [key])).get(key),
      lookUpInBatch: (from) => this.#batched[by].find(from, key),
    });
  }

  /** Callers by the SHA-256 of their credentials or cookies, in hexadecimal. */
  async #find(by: Proof['by'], keys: readonly string[]): Promise<ReadonlyMap<string, Caller>> {
    const read = by === 'session' ? callersOfSessions : callersOfCredentials;
    const hashes = keys.map((key) => Buffer.from(key, 'hex'));
    const rows = await read(this.#database.kysely, hashes, new Date(this.#now()));
    if (rows.length < keys.length) await requireRestored(this.#database.kysely);
    return new Map(rows.map((row) => [row.hash.toString('hex'), callerOf(row, proofOf(by, row))]));
  }

  /** The callers whose access is unchanged; with one statement. */
  async stillValid(callers: readonly Caller[]): Promise<ReadonlySet<Caller>> {
    const hashes = (by: Proof['by']) => {
      const found = callers.filter(({ proof }) => proof.by === by).map(({ proof }) => proof.hash);
      return [...new Map(found.map((hash) => [hash.toString('hex'), hash])).values()];
    };
    const proofs = { credentials: hashes('credential'), sessions: hashes('session') };
    const valid = await validProofs(this.#database.kysely, proofs, new Date(this.#now()));
    if (valid.length < proofs.credentials.length + proofs.sessions.length)
      await requireRestored(this.#database.kysely);
    const keys = new Set(valid.map(({ by, hash, store_ids }) => keyOfSight(by, hash, store_ids)));
    return new Set(
      callers.filter(({ proof, storeIds }) => keys.has(keyOfSight(proof.by, proof.hash, storeIds))),
    );
  }
}

function keyOfSight(by: Proof['by'], hash: Buffer, storeIds: readonly number[] | null): string {
  return `${by} ${hash.toString('hex')} ${storeIds}`;
}

function proofOf(by: Proof['by'], { hash, session_expires_at: expires }: CallerRow): Proof {
  return by === 'credential' ? { by, hash } : { by, hash, expiresAt: expires?.getTime() ?? 0 };
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
