import type { JournalPosition } from './journal-position.ts';
import type { JournalState } from './journal-state.ts';

/** Crossings that are delivered within this time are not counted in the note (ms): each write wears the card. */
const noteAfter = 250;
/** The pause after a note that could not be stored (ms). */
const retryAfter = 60_000;

/**
 * A durable note of how many crossings are only in memory. It overwrites an existing file, which is possible on a full
 * disk. After a power cut the next start declares these crossings lost: otherwise nothing would show that they are
 * missing. The note may be up to `noteAfter` late: then some delivered crossings are declared lost, too.
 */
export class HeldNote {
  readonly #state: JournalState;
  readonly #position: JournalPosition;
  readonly #held: () => number;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `held` returns how many crossings are only in memory, to be delivered from there. */
  constructor(state: JournalState, position: JournalPosition, held: () => number) {
    this.#state = state;
    this.#position = position;
    this.#held = held;
    const { durable, storage } = state.changes;
    for (const changes of [durable, storage]) changes.add(() => this.#update());
  }

  /** Stores the note now, if it is wrong, and not later, when another process may use the folder. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#store();
  }

  #update(): void {
    if (this.#timer === undefined && this.#isWrong()) this.#schedule(noteAfter);
  }

  #schedule(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(async () => {
      const isStored = await this.#store();
      this.#timer = undefined;
      if (isStored) this.#update();
      else this.#schedule(retryAfter);
    }, ms).unref();
  }

  /** Stores the note if it is wrong; resolves with whether it is right now. */
  async #store(): Promise<boolean> {
    if (!this.#isWrong()) return true;
    try {
      await this.#position.storeCounted(this.#counted);
      return true;
    } catch (error) {
      this.#state.settings.onProblem(error);
      return false;
    }
  }

  /** A note up to the last durable sequence has no meaning. */
  #isWrong(): boolean {
    const { counted } = this.#position;
    return this.#held() > 0 ? counted !== this.#counted : counted > this.#counted;
  }

  get #counted(): number {
    return this.#state.recorded + this.#held();
  }
}
