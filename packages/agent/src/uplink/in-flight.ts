/** A message on its way: its last sequence, and that crossing's instant (epoch ms). */
export interface Sent {
  readonly through: number;
  readonly at: number;
}

/**
 * The messages on their way, in order of their sequences.
 *
 * Invariant: what `acknowledged` returns covers a contiguous prefix. A PUBACK that overtakes an earlier one
 * waits for it; else a cut in between would drop the earlier crossings for ever.
 */
export class InFlight {
  readonly #messages: { readonly sent: Sent; acknowledged: boolean }[] = [];

  get size(): number {
    return this.#messages.length;
  }

  add(sent: Sent): void {
    this.#messages.push({ sent, acknowledged: false });
  }

  /** Notes a PUBACK; returns the newest message of the prefix that this completes, if it completes one. */
  acknowledged(sent: Sent): Sent | undefined {
    const message = this.#messages.find((candidate) => candidate.sent === sent);
    if (message) message.acknowledged = true;
    const open = this.#messages.findIndex((candidate) => !candidate.acknowledged);
    const done = this.#messages.splice(0, open === -1 ? this.#messages.length : open);
    return done.at(-1)?.sent;
  }
}
