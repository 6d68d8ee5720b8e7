import type { Intake } from './socket-reader.ts';

/** While messages of so many bytes are not settled, each counted with so many more, nothing is read from their client. */
const maxBytes = 256 * 1024;
const overhead = 256;

/** What of a client's messages has been read and is not settled. */
export class UnsettledMessages {
  readonly #intake: Intake;
  #bytes = 0;

  constructor(intake: Intake) {
    this.#intake = intake;
  }

  /** A message of so many bytes was read. */
  add(bytes: number): void {
    this.#bytes += bytes + overhead;
    if (this.#bytes > maxBytes) this.#intake.hold('unsettled');
  }

  /** It is settled. */
  remove(bytes: number): void {
    this.#bytes -= bytes + overhead;
    if (this.#bytes <= maxBytes) this.#intake.release('unsettled');
  }
}
