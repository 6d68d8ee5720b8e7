import { tooMany } from '../problems/problems.ts';

interface SlotLimits {
  /** Ranges read at a time. */
  readonly all: number;
  /** Of them, those of one credential. */
  readonly perCredential: number;
  /** How long a request waits for a slot (ms). */
  readonly maxWait: number;
}

/** The caller that reads a range, or listens. */
export interface Holder {
  readonly companyId: number;
  readonly credentialId: number;
}

/**
 * Bounds how many ranges are read at a time, so that they never occupy all connections of the pool and small requests
 * always find one.
 *
 * A company may have as many slots as are free: alone at most half of them, and fewer the more the others have (dynamic
 * thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998). So there is always a slot for a
 * company that has none, until halving leaves no slot for one more company.
 */
export class ExportSlots {
  readonly #waiting: Waiting[] = [];
  readonly #held = new Map<string, number>();
  readonly #limits: SlotLimits;
  #running = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Ranges that are being read, and requests that wait for a slot. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waiting.length };
  }

  /**
   * Acquires a slot; `using` releases it. Companies with fewer slots go first, then earlier requests. Throws
   * `too_many_exports`, and rejects with the reason of `signal` when that is aborted meanwhile.
   */
  async acquire(holder: Holder, signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted();
    if (this.#mayStart(holder)) return this.#slot(holder);
    return await this.#turn(holder, signal);
  }

  #mayStart(holder: Holder): boolean {
    const { all, perCredential } = this.#limits;
    return (
      this.#heldBy(company(holder)) < all - this.#running && this.#heldBy(credential(holder)) < perCredential
    );
  }

  #heldBy(who: string): number {
    return this.#held.get(who) ?? 0;
  }

  #turn(holder: Holder, signal: AbortSignal | undefined): Promise<Disposable> {
    const { maxWait } = this.#limits;
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(late);
        signal?.removeEventListener('abort', onAbort);
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      };
      const refuse = (reason: unknown) => {
        leave();
        reject(reason);
      };
      const onAbort = () => refuse(signal?.reason);
      const late = setTimeout(() => refuse(tooMany('exports', Math.ceil(maxWait / 1_000))), maxWait);
      const start = () => {
        leave();
        resolve(this.#slot(holder));
      };
      const waiting = { holder, start };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiting);
    });
  }

  #slot(holder: Holder): Disposable {
    this.#count(holder, 1);
    return {
      [Symbol.dispose]: () => {
        this.#count(holder, -1);
        this.#startWaiting();
      },
    };
  }

  /** One released slot may let several others start: the limit of each depends on what is free. */
  #startWaiting(): void {
    for (;;) {
      const next = this.#waiting
        .filter(({ holder }) => this.#mayStart(holder))
        .sort((a, b) => this.#heldBy(company(a.holder)) - this.#heldBy(company(b.holder)))[0];
      if (next === undefined) return;
      next.start();
    }
  }

  #count(holder: Holder, change: number): void {
    this.#running += change;
    for (const who of [company(holder), credential(holder)]) {
      const held = this.#heldBy(who) + change;
      if (held === 0) this.#held.delete(who);
      else this.#held.set(who, held);
    }
  }
}

function company({ companyId }: Holder): string {
  return `company ${companyId}`;
}

function credential({ credentialId }: Holder): string {
  return `credential ${credentialId}`;
}

interface Waiting {
  readonly holder: Holder;
  /** Acquires the free slot. */
  start(): void;
}
