import type { Logger } from '@visitor-counter/service/logger';
import type { CommandName, UnitCommand } from '@visitor-counter/wire/gateway-messages';
import type { Journal } from '../journal/journal.ts';
import type { Uplink } from '../uplink/uplink.ts';
import { type CommandResult, type KnownCommand, textOf } from './remote-memory.ts';
import { type ResendParts, resend } from './resend.ts';

export interface RunnerParts extends ResendParts {
  readonly journal: ResendParts['journal'] & Pick<Journal, 'recorded' | 'beginNew'>;
  readonly uplink: Pick<Uplink, 'untilConnected' | 'send' | 'report'>;
  readonly log: Logger;
  /** The message that answers the command `diagnose` with this id. */
  readonly diagnose: (id: number) => Promise<string>;
}

/** Connections over which a diagnosis is sent: a broker that refuses the message ends the connection. */
const diagnosisAttempts = 3;

type RunnerName = 'journal' | 'diagnosis';

/** The runner of each long command; RemoteControl executes the others itself. A diagnosis does not wait for a long resend. */
const runnerOf: Readonly<Record<CommandName, RunnerName | undefined>> = {
  identify: undefined,
  restart: undefined,
  resend: 'journal',
  'begin-journal': 'journal',
  diagnose: 'diagnosis',
};

/**
 * Executes long commands, one after the other, in the order of their arrival. A command that the end of the process has
 * interrupted begins again with the next start.
 */
export class CommandRunner {
  readonly #name: RunnerName;
  readonly #parts: RunnerParts;
  readonly #stopping = new AbortController();
  #isRunning = false;
  #working: Promise<void> = Promise.resolve();

  constructor(name: RunnerName, parts: RunnerParts) {
    this.#name = name;
    this.#parts = parts;
  }

  /** Starts pending commands, if any. */
  wake(): void {
    if (!this.#stopping.signal.aborted && !this.#isRunning) this.#working = this.#runAll();
  }

  /**
   * Starts no more commands. Resolves when none sends messages any more, and the progress of an interrupted one is stored; a
   * message in flight is awaited until its connection ends.
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const wasRunning = this.#isRunning;
    await this.#working;
    if (wasRunning) await this.#parts.memory.trySave();
  }

  async #runAll(): Promise<void> {
    const { signal } = this.#stopping;
    this.#isRunning = true;
    for (let next = this.#next; next && !signal.aborted; next = this.#next) {
      const result = await this.#run(next.order, signal).catch(failure);
      if (result.state === 'done' || !signal.aborted) await this.#finish(next, result);
    }
    this.#isRunning = false;
  }

  get #next(): KnownCommand | undefined {
    return this.#parts.memory.running.find(({ order }) => runnerOf[order.command] === this.#name);
  }

  async #run(order: UnitCommand, signal: AbortSignal): Promise<CommandResult> {
    switch (order.command) {
      case 'resend':
        this.#parts.log.info(order, 'resend started');
        return resend(order, this.#parts, signal);
      case 'begin-journal':
        this.#beginJournal(order.id, order.journal);
        break;
      case 'diagnose':
        await this.#diagnose(order.id, signal);
        break;
      case 'identify':
      case 'restart':
        throw new Error(`${order.command} is not a long command`);
      default:
        order satisfies never;
    }
    return { state: 'done' };
  }

  #beginJournal(id: number, ended: string): void {
    const { journal, log } = this.#parts;
    const { recorded } = journal;
    log.info({ id, journal: ended, recorded }, 'journal ends');
    journal.beginNew(ended);
  }

  /** Resolves when the server has acknowledged the diagnosis. */
  async #diagnose(id: number, signal: AbortSignal): Promise<void> {
    const { uplink, diagnose } = this.#parts;
    const { promise: interrupted, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    /* It can take half a minute, which is longer than a stop may take. */
    const payload = await Promise.race([diagnose(id), interrupted]);
    for (let attempt = 0; attempt < diagnosisAttempts; attempt += 1) {
      await uplink.untilConnected(signal);
      if (await uplink.send('diagnosis', payload)) return;
    }
    throw new Error(`${diagnosisAttempts} connections ended without an acknowledgement of the diagnosis`);
  }

  async #finish({ order: { id, command } }: KnownCommand, result: CommandResult): Promise<void> {
    const { memory, uplink, log } = this.#parts;
    memory.update(id, result);
    const { sent, total, missing } = memory.find(id) ?? {};
    const facts = { id, sent, total, missing, problem: result.problem };
    if (result.state === 'done') log.info(facts, `${command} done`);
    else log.error(facts, `${command} failed`);
    await memory.trySave();
    await uplink.report();
  }
}

function failure(error: unknown): CommandResult {
  return { state: 'failed', problem: textOf(error) };
}
