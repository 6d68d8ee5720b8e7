import type { Journal } from '../journal/journal.ts';
import type { KnownCommand } from './remote-state.ts';
import { notStored, type ResendParts, runResend } from './run-resend.ts';

export interface RunnerParts extends ResendParts {
  readonly journal: Pick<Journal, 'id' | 'recorded' | 'acknowledged' | 'read' | 'beginNew'>;
}

type Result = Pick<KnownCommand, 'state' | 'problem'>;

/**
 * Executes the commands that take time, `resend` and `begin-journal`, one after the other in the order in which they
 * came. A command that the end of the process has interrupted continues with the next start.
 */
export class CommandRunner {
  readonly #parts: RunnerParts;
  readonly #stopping = new AbortController();
  #isRunning = false;
  #working: Promise<void> = Promise.resolve();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** There may be a command to execute. */
  wake(): void {
    if (this.#isRunning || this.#stopping.signal.aborted) return;
    this.#isRunning = true;
    this.#working = this.#runAll();
  }

  /** Begins nothing more. A message that is in flight is still waited for, until its connection ends. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Resolves when nothing is executed any more, and the position of what was interrupted is stored. */
  async ended(): Promise<void> {
    const { memory, log } = this.#parts;
    const wasRunning = this.#isRunning;
    await this.#working;
    if (wasRunning) await memory.save().catch(notStored(log));
  }

  async #runAll(): Promise<void> {
    const { memory } = this.#parts;
    const { signal } = this.#stopping;
    for (;;) {
      const next = memory.running.find(({ order }) => order.command !== 'restart');
      if (!next || signal.aborted) break;
      const result = await this.#run(next).catch(failure);
      if (signal.aborted && result.state === 'failed') break;
      await this.#finish(next, result);
    }
    this.#isRunning = false;
  }

  async #run({ order, ...known }: KnownCommand): Promise<Result> {
    const { signal } = this.#stopping;
    const { journal, log } = this.#parts;
    if (order.command === 'resend') return runResend({ order, ...known }, this.#parts, signal);
    if (order.command === 'begin-journal') {
      const { id, journal: ended } = order;
      log.info({ id, journal: ended, recorded: journal.recorded }, 'journal ends when all is acknowledged');
      await journal.beginNew(ended, signal);
    }
    return { state: 'done' };
  }

  async #finish({ order: { id, command } }: KnownCommand, result: Result): Promise<void> {
    const { memory, uplink, log } = this.#parts;
    memory.update(id, result);
    const { sent, total, missing } = memory.find(id) ?? {};
    const facts = { id, sent, total, missing, problem: result.problem };
    if (result.state === 'done') log.info(facts, `${command} done`);
    else log.error(facts, `${command} failed`);
    await memory.save().catch(notStored(log));
    await uplink.report();
  }
}

function failure(error: unknown): Result {
  return { state: 'failed', problem: error instanceof Error ? error.message : String(error) };
}
