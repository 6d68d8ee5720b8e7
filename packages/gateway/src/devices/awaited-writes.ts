import type { Outcome } from '../ingest/ingest-result.ts';

/** A message that is acknowledged when what it says of its device is written. */
export interface Awaited {
  readonly deviceId: number;
  readonly since: number;
  /** Undefined when it was told. */
  settle: ((outcome: Outcome) => void) | undefined;
}

export interface AwaitedLimits {
  /** How long a message waits (ms): well within a keep-alive. */
  readonly wait: number;
  /** What messages may hold in memory, in all and of one client (bytes). */
  readonly heldBytes: number;
  readonly heldBytesPerClient: number;
}

/** What a message holds beside its payload (bytes): the broker's part of it. */
const overhead = 1_024;

/** The messages that wait for their device's state to be written, each told once what became of it. */
export class AwaitedWrites {
  readonly #limits: AwaitedLimits;
  #waiting: Awaited[] = [];
  #underWay: readonly Awaited[] = [];
  #heldBytes = 0;
  readonly #heldOf = new Map<number, number>();

  constructor(limits: AwaitedLimits) {
    this.#limits = limits;
  }

  /** False when there is no room for it; then it was told so. */
  add(deviceId: number, payloadBytes: number, settled: (outcome: Outcome) => void, now: number): boolean {
    const bytes = payloadBytes + overhead;
    const { heldBytes, heldBytesPerClient } = this.#limits;
    const held = this.#heldOf.get(deviceId) ?? 0;
    if (this.#heldBytes + bytes > heldBytes || held + bytes > heldBytesPerClient) {
      settled('overloaded');
      return false;
    }
    this.#hold(deviceId, bytes);
    const settle = (outcome: Outcome) => {
      this.#hold(deviceId, -bytes);
      settled(outcome);
    };
    this.#waiting.push({ deviceId, since: now, settle });
    return true;
  }

  /** The devices that somebody waits for, also in the write that is under way. */
  devices(): ReadonlySet<number> {
    const open = [...this.#waiting, ...this.#underWay].filter(({ settle }) => settle !== undefined);
    return new Set(open.map(({ deviceId }) => deviceId));
  }

  /** A write of what is known up to now begins. */
  begin(): void {
    this.#underWay = this.#waiting;
    this.#waiting = [];
  }

  /** It is done. */
  written(): void {
    const done = this.#underWay;
    this.#underWay = [];
    for (const one of done) tell(one, 'stored');
  }

  /** It has failed: its messages wait for the next one. */
  failed(): void {
    this.#waiting = [...this.#underWay.filter(({ settle }) => settle !== undefined), ...this.#waiting];
    this.#underWay = [];
  }

  /** Tells `late` to those that have waited too long. */
  expire(now: number): void {
    const oldest = now - this.#limits.wait;
    for (const one of this.#underWay) if (one.since < oldest) tell(one, 'late');
    const first = this.#waiting.findIndex(({ since }) => since >= oldest);
    for (const one of this.#waiting.splice(0, first < 0 ? this.#waiting.length : first)) tell(one, 'late');
  }

  #hold(deviceId: number, bytes: number): void {
    const held = (this.#heldOf.get(deviceId) ?? 0) + bytes;
    if (held > 0) this.#heldOf.set(deviceId, held);
    else this.#heldOf.delete(deviceId);
    this.#heldBytes += bytes;
  }
}

function tell(one: Awaited, outcome: Outcome): void {
  const { settle } = one;
  one.settle = undefined;
  settle?.(outcome);
}
