/** Records a sample of the forwarded messages, some of them old. */
export class Tap {
  readonly #messages = new Map<string, Buffer[]>();
  readonly #random: () => number;
  readonly #most: number;

  /** Keeps `most` messages of each unit. `random` is in [0, 1). */
  constructor(random: () => number, most = 64) {
    this.#random = random;
    this.#most = most;
  }

  note(serial: string, payload: Buffer): void {
    const kept = this.#messages.get(serial) ?? [];
    this.#messages.set(serial, kept);
    if (kept.length < this.#most) kept.push(payload);
    else kept[Math.floor(this.#random() * this.#most)] = payload;
  }

  messages(serial: string): readonly Buffer[] {
    return this.#messages.get(serial) ?? [];
  }
}
