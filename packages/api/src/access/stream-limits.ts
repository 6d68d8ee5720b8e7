import { tooManyListeners } from '../problems/problems.ts';
import type { Holder } from './export-slots.ts';

/** Open streams at a time. */
export interface StreamLimit {
  readonly all: number;
  readonly perCompany: number;
  readonly perCredential: number;
}

/** Bounds the open streams of a process, of a company and of a credential: each uses a socket and some memory. */
export class StreamLimits {
  readonly #most: StreamLimit;
  readonly #open = new Map<string, number>();

  constructor(most: StreamLimit) {
    this.#most = most;
  }

  /** Counts one more stream until it is disposed of. Throws `too_many_listeners`. */
  open({ companyId, credentialId }: Holder): Disposable {
    const { all, perCompany, perCredential } = this.#most;
    const counted = [
      { key: `credential ${credentialId}`, of: 'this credential', most: perCredential },
      { key: `company ${companyId}`, of: 'this company', most: perCompany },
      { key: 'all', of: 'all companies', most: all },
    ];
    for (const { key, of, most } of counted) {
      if ((this.#open.get(key) ?? 0) >= most) throw tooManyListeners(of);
    }
    for (const { key } of counted) this.#add(key, 1);
    return {
      [Symbol.dispose]: () => {
        for (const { key } of counted) this.#add(key, -1);
      },
    };
  }

  #add(key: string, change: number): void {
    const open = (this.#open.get(key) ?? 0) + change;
    if (open === 0) this.#open.delete(key);
    else this.#open.set(key, open);
  }
}
