import type { JournalPosition } from './journal-position.ts';
import type { JournalState } from './journal-state.ts';
import type { JournalWriter } from './journal-writer.ts';
import { continuedAfter, type Recovered } from './recover-journal.ts';
import type { VolatileJournal } from './volatile-journal.ts';

export interface HeldNoteParts {
  readonly position: JournalPosition;
  readonly state: JournalState;
  readonly writer: JournalWriter;
  readonly volatile: VolatileJournal;
  readonly deliverHeld: boolean;
  /** The note could not be stored, e.g. on a read-only disk. */
  readonly onProblem: (error: unknown) => void;
}

/** Crossings that are delivered within this time are not noted, since each note wears the card (ms). */
const noteAfter = 250;
/** The pause after a note that could not be stored (ms). */
const retryAfter = 60_000;

/**
 * A durable note of how many crossings are only in memory. It overwrites an existing file, which is possible on a full
 * disk. After a power cut the next start declares these crossings lost: otherwise nothing would show that they are
 * missing. The note may be up to `noteAfter` late: then some delivered crossings are declared lost, too.
 */
export class HeldNote {
  readonly #parts: HeldNoteParts;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: HeldNoteParts) {
    this.#parts = parts;
    const { writer, volatile } = parts;
    for (const changes of [writer.durable, writer.storage]) changes.add(() => this.#update());
    volatile.onAcknowledged(() => this.#update());
  }

  /** Stores the note now, if it is wrong. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#isWrong()) await this.#store().catch(this.#parts.onProblem);
  }

  #update(): void {
    if (this.#timer === undefined && this.#isWrong()) this.#schedule(noteAfter);
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#isWrong()) return;
      this.#store().then(
        () => this.#update(),
        (error: unknown) => {
          this.#parts.onProblem(error);
          this.#schedule(retryAfter);
        },
      );
    }, ms).unref();
  }

  #store(): Promise<void> {
    const { position, state } = this.#parts;
    return position.noteCounted(state.recorded + this.#held);
  }

  /** A note up to the last durable sequence has no meaning. */
  #isWrong(): boolean {
    const { position, state } = this.#parts;
    const counted = state.recorded + this.#held;
    return this.#held > 0 ? position.counted !== counted : position.counted > counted;
  }

  /** How many crossings are only in memory, to be delivered from there. */
  get #held(): number {
    const { writer, volatile, deliverHeld } = this.#parts;
    if (!deliverHeld) return 0;
    return (writer.isHolding ? writer.waiting : 0) + volatile.unacknowledged;
  }
}

/**
 * Declares the crossings lost that were only in memory when the last agent ended, and returns the journal that continues
 * after their sequences. Changes nothing if the declaration cannot be stored.
 */
export async function declareHeld(
  found: Recovered,
  position: JournalPosition,
  onProblem: (error: unknown) => void,
): Promise<Recovered> {
  const { counted } = position;
  if (counted <= found.recorded) return found;
  try {
    await position.declareLost([[found.recorded + 1, counted]]);
  } catch (error) {
    onProblem(error);
    return found;
  }
  return { ...found, recorded: counted, segments: continuedAfter(counted, true, found.segments) };
}
