import { LRUCache } from 'lru-cache';

/** Why a login is not authorized. Only the operator gets it: a client could otherwise find out which serials exist. */
export type RefusedFor = 'wrong secret' | 'revoked secret' | 'unknown serial';

/** A unit tries again at least every few minutes (ms). */
const remembered = 15 * 60_000;

/** The most that are remembered: anyone can invent serial numbers. */
const mostKnown = 1_000;
const mostUnknown = 20;

/** How many are named in the remark. */
const named = 20;

/** The units whose latest login was refused, for the operator. */
export class RefusedLogins {
  readonly #known = new LRUCache<string, RefusedFor>({ max: mostKnown, ttl: remembered });
  readonly #unknown = new LRUCache<string, RefusedFor>({ max: mostUnknown, ttl: remembered });

  refused(serial: string, reason: RefusedFor): void {
    const [listed, other] =
      reason === 'unknown serial' ? [this.#unknown, this.#known] : [this.#known, this.#unknown];
    listed.set(serial, reason);
    other.delete(serial);
  }

  accepted(serial: string): void {
    this.#known.delete(serial);
    this.#unknown.delete(serial);
  }

  /** Such as `CU-1 (wrong secret)`; undefined if there are none. */
  remark(): string | undefined {
    for (const logins of [this.#known, this.#unknown]) logins.purgeStale();
    const all = [...this.#known.entries(), ...this.#unknown.entries()];
    if (all.length === 0) return undefined;
    const list = all.slice(0, named).map(([serial, reason]) => `${serial} (${reason})`);
    const more = all.length > named ? `, and ${all.length - named} more` : '';
    return `logins refused within 15 minutes: ${list.join(', ')}${more}`;
  }
}
