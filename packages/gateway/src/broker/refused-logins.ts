import { LRUCache } from 'lru-cache';

/** Why a login is not authorized. Only the operator gets it: a client could otherwise find out which serials exist. */
export type RefusedFor = 'wrong secret' | 'revoked secret' | 'unknown serial';

/** A unit tries again at least every few minutes (ms). */
const remembered = 15 * 60_000;

/** The most that are remembered: anyone can invent serial numbers. */
const most = 1_000;

/** How many are named in the remark. */
const named = 20;

/** The units whose latest login was refused, for the operator. */
export class RefusedLogins {
  readonly #refused = new LRUCache<string, RefusedFor>({ max: most, ttl: remembered });

  refused(serial: string, reason: RefusedFor): void {
    this.#refused.set(serial, reason);
  }

  accepted(serial: string): void {
    this.#refused.delete(serial);
  }

  /** Such as `CU-1 (wrong secret)`; undefined if there are none. */
  remark(): string | undefined {
    this.#refused.purgeStale();
    const isKnown = ([, reason]: [string, RefusedFor]) => Number(reason !== 'unknown serial');
    const all = [...this.#refused.entries()].toSorted((a, b) => isKnown(b) - isKnown(a));
    if (all.length === 0) return undefined;
    const list = all.slice(0, named).map(([serial, reason]) => `${serial} (${reason})`);
    const more = all.length > named ? `, and ${all.length - named} more` : '';
    return `logins refused within 15 minutes: ${list.join(', ')}${more}`;
  }
}
