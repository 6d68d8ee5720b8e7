import type { UnitCommand } from '@visitor-counter/wire/gateway-messages';
import type { Journal } from '../journal/journal.ts';
import type { Uplink } from '../uplink/uplink.ts';
import { type CommandResult, type KnownCommand, textOf } from './remote-memory.ts';
import { notStored, type ResendParts, runResend } from './resend.ts';

export interface RunnerParts extends ResendParts {
  readonly journal: Pick<Journal, 'id' | 'recorded' | 'acknowledged' | 'read' | 'beginNew'>;
}

/**
 * Executes the long commands, `resend` and `begin-journal`, one after the other in the order of their arrival, but
 * resends first: crossings of an ended journal cannot be sent again. A command that was interrupted by the end of the
 * process continues with the next start.
 */
export class CommandRunner {
  readonly #parts: RunnerParts;
  readonly #stopping = new AbortController();
  #isRunning = false;
  /** Interrupts a `begin-journal` that waits for acknowledgements when a resend must run before it. */
  #beginning = new AbortController();
  #working: Promise<void> = Promise.resolve();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Starts pending commands, if any. */
  wake(): void {
    if (this.#stopping.signal.aborted) return;
    if (this.#next?.order.command === 'resend') this.#beginning.abort();
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#working = this.#runAll();
  }

  /** Starts no more commands. A message in flight is awaited until its connection ends. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Resolves when no command is executed any more, and the progress of an interrupted one is stored. */
  async ended(): Promise<void> {
    const { memory, log } = this.#parts;
    const wasRunning = this.#isRunning;
    await this.#working;
    if (wasRunning) await memory.save().catch(notStored(log));
  }

  async #runAll(): Promise<void> {
    const { signal } = this.#stopping;
    for (let next = this.#next; next && !signal.aborted; next = this.#next) {
      const result = await this.#run(next).catch(failure);
      if (signal.aborted && result?.state !== 'done') break;
      if (result) await this.#finish(next, result);
    }
    this.#isRunning = false;
  }

  get #next(): KnownCommand | undefined {
    const { running } = this.#parts.memory;
    const first = (command: UnitCommand['command']) => running.find(({ order }) => order.command === command);
    return first('resend') ?? first('begin-journal');
  }

  /** Resolves with undefined when another command has to be executed before. */
  async #run({ order, ...known }: KnownCommand): Promise<CommandResult | undefined> {
    const { signal } = this.#stopping;
    if (order.command === 'resend') return runResend({ order, ...known }, this.#parts, signal);
    if (order.command === 'begin-journal') return this.#beginJournal(order.id, order.journal);
    return { state: 'done' };
  }

  async #beginJournal(id: number, ended: string): Promise<CommandResult | undefined> {
    const { journal, log } = this.#parts;
    this.#beginning = new AbortController();
    const { signal } = this.#beginning;
    log.info(
      { id, journal: ended, recorded: journal.recorded },
      'journal ends after the last acknowledgement',
    );
    try {
      await journal.beginNew(ended, AbortSignal.any([signal, this.#stopping.signal]));
      return { state: 'done' };
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  async #finish({ order: { id, command } }: KnownCommand, result: CommandResult): Promise<void> {
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

function failure(error: unknown): CommandResult {
  return { state: 'failed', problem: textOf(error) };
}

export interface DiagnoseParts {
  readonly uplink: Pick<Uplink, 'untilConnected' | 'send'>;
  /** The message that answers a command. */
  readonly diagnose: (id: number) => Promise<string>;
}

/** Connections that are tried: a broker that refuses the message ends the connection, and delivery must go on. */
const attempts = 3;

/**
 * Executes the command `diagnose`: resolves when the server has acknowledged the diagnosis; rejects when it has not, or
 * when `signal` aborts.
 */
export async function runDiagnose(id: number, parts: DiagnoseParts, signal: AbortSignal): Promise<void> {
  const { uplink, diagnose } = parts;
  const payload = await diagnose(id);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    await uplink.untilConnected(signal);
    if (await uplink.send('diagnosis', payload)) return;
  }
  throw new Error(`${attempts} connections ended without an acknowledgement of the diagnosis`);
}
