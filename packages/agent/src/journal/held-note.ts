import type { JournalPosition } from './journal-position.ts';
import { continuedAfter, type Recovered } from './recover-journal.ts';

export interface HeldNoteParts {
  readonly position: JournalPosition;
  /** The last durable sequence. */
  readonly recorded: () => number;
  /** How many crossings only memory has. */
  readonly held: () => number;
  /** The note could not be stored, e.g. on a read-only disk. */
  readonly onProblem: (error: unknown) => void;
}

/** Crossings that are delivered within this time are not noted: each note wears the card (ms). */
const noteAfter = 250;
/** After a note that could not be stored (ms). */
const retryAfter = 60_000;

/**
 * Keeps a durable note of how many crossings only memory has. A full disk takes it, since it is written over a file that
 * is there. If the power fails, the next start declares these crossings lost: otherwise nobody would know that they are
 * missing. The note may be up to `noteAfter` late: then some delivered crossings are declared lost, too.
 */
export class HeldNote {
  readonly #parts: HeldNoteParts;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: HeldNoteParts) {
    this.#parts = parts;
  }

  /** What only memory has may have changed. */
  update(): void {
    if (this.#timer === undefined && this.#isWrong()) this.#schedule(noteAfter);
  }

  /** Stores the note now, if it is wrong. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#isWrong()) await this.#store().catch(this.#parts.onProblem);
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#isWrong()) return;
      this.#store().then(
        () => this.update(),
        (error: unknown) => {
          this.#parts.onProblem(error);
          this.#schedule(retryAfter);
        },
      );
    }, ms).unref();
  }

  #store(): Promise<void> {
    const { position, recorded, held } = this.#parts;
    return position.noteCounted(recorded() + held());
  }

  /** A note that is not beyond what the disk has says nothing. */
  #isWrong(): boolean {
    const { position, recorded, held } = this.#parts;
    const counted = recorded() + held();
    return held() > 0 ? position.counted !== counted : position.counted > counted;
  }
}

/**
 * Declares the crossings lost that only memory had when the last agent ended, and returns the journal that continues
 * after their sequences. Where the disk does not take the declaration, nothing changes.
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
