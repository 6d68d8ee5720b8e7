import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { reasonOf } from '@visitor-counter/service/errors';
import type { Logger } from '@visitor-counter/service/logger';
import {
  decodeCommand,
  decodeConfig,
  type RemoteConfig,
  type UnitCommand,
} from '@visitor-counter/wire/gateway-messages';
import type { CommandReport, Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import { maxReportedCommands } from '@visitor-counter/wire/limits';
import { Mutex } from '../async/concurrency.ts';
import type { Journal } from '../journal/journal.ts';
import type { Uplink } from '../uplink/uplink.ts';
import { parseRemoteSettings } from './remote-settings.ts';
import { type RemoteState, writeRemoteState } from './remote-state.ts';

interface RemoteParts {
  /** The stored state, and the folder in which it is stored. */
  readonly state: RemoteState;
  readonly folder: string;
  readonly journal: Pick<Journal, 'continueFrom' | 'beginNew'>;
  readonly uplink: Pick<Uplink, 'send' | 'report'>;
  /** The message that answers the command `diagnose` with this id. */
  readonly diagnose: (id: number) => Promise<string>;
  readonly identify: () => void;
  /** Restarts the doors of this unit, with the settings that are stored now. */
  readonly restart: () => void;
  /** Resolves when the update is ordered, not when it is installed. */
  readonly requestUpdate: (version: string | null) => Promise<void>;
  readonly log: Logger;
}

/** Commands, and commands `restart`, that are remembered, so that none is executed twice. */
const mostRemembered = 64;

/** The gateway repeats an unreported order every second or every 10 s: a few failures are logged in each window (ms). */
const loggedFailures = { lines: 3, window: 600_000 };

/**
 * Executes the orders of the gateway, which repeats each until a heartbeat reports it; an order that cannot be executed now
 * is not reported. A `restart` is stored durably before it is executed, and never executed again, not even after a restore
 * of the database. To execute another command again after a restart is harmless. Settings that cannot be used change nothing.
 */
export class RemoteControl {
  readonly #parts: RemoteParts;
  #state: RemoteState;
  #refused: { revision: number; problem: string } | undefined;
  /** The commands since the start in order of their latest arrival, the latest last; repetitions count as arrivals. */
  readonly #commands = new Map<number, CommandReport>();
  readonly #mutex = new Mutex();
  readonly #diagnoses = new Mutex();
  readonly #stopping = new AbortController();
  readonly #failures: BoundedLog;

  constructor(parts: RemoteParts) {
    this.#parts = parts;
    this.#state = parts.state;
    this.#failures = new BoundedLog(parts.log, loggedFailures);
  }

  /** The answers to the gateway's orders, for the heartbeat. */
  get answers(): Pick<Heartbeat, 'config' | 'commands'> {
    const { revision } = this.#state;
    const commands = [...this.#commands.values()].slice(-maxReportedCommands).reverse();
    return {
      ...(this.#refused ? { config: this.#refused } : revision > 0 ? { config: { revision } } : {}),
      ...(commands.length > 0 && { commands }),
    };
  }

  receiveConfig(payload: Uint8Array): void {
    const message = decodeConfig(payload);
    if ('malformed' in message) this.#failures.write('warn', { message }, 'malformed settings ignored');
    else this.#next(() => this.#configure(message));
  }

  receiveCommand(payload: Uint8Array): void {
    const message = decodeCommand(payload);
    if ('malformed' in message) this.#failures.write('warn', { message }, 'malformed command ignored');
    else this.#next(() => this.#receive(message));
  }

  /** Resolves when the orders received so far are executed; a diagnosis may still be made. */
  processed(): Promise<void> {
    return this.#mutex.runExclusive(async () => {});
  }

  /** Sends no diagnosis any more. */
  stop(): void {
    this.#stopping.abort();
  }

  #next(work: () => Promise<void>): void {
    this.#mutex
      .runExclusive(work)
      .catch((error: unknown) => this.#failures.write('error', { err: error }, 'command or settings failed'));
  }

  async #configure({ revision, settings }: RemoteConfig): Promise<void> {
    const { restart, log } = this.#parts;
    if (revision === this.#refused?.revision) return this.#report();
    this.#refused = undefined;
    if (revision === this.#state.revision) return this.#report();
    try {
      parseRemoteSettings(settings);
    } catch (error) {
      this.#refused = { revision, problem: textOf(error) };
      log.error(this.#refused, 'remote settings refused');
      return this.#report();
    }
    await this.#save({ revision, settings });
    log.info({ revision, settings }, 'remote settings stored');
    await this.#report();
    restart();
  }

  async #receive(order: UnitCommand): Promise<void> {
    const { id, command } = order;
    const known =
      this.#commands.get(id) ?? (this.#state.restarts.includes(id) ? { id, state: 'done' } : undefined);
    if (known) return this.#answer(known);
    this.#parts.log.info({ command: order }, 'command received');
    await this.#answer(await this.#execute(order));
    if (command === 'restart') this.#parts.restart();
    if (command === 'diagnose') void this.#diagnoses.runExclusive(() => this.#diagnose(id));
  }

  /**
   * Executes a command, or prepares one that takes time. Rejects if that is not possible now: the gateway sends it again.
   */
  async #execute(order: UnitCommand): Promise<CommandReport> {
    const { journal, identify, log } = this.#parts;
    const { id } = order;
    switch (order.command) {
      case 'identify':
        identify();
        break;
      case 'restart':
        /* Stored first: otherwise the gateway would send it to the restarted process again and again. */
        await this.#save({ restarts: [id, ...this.#state.restarts].slice(0, mostRemembered) });
        return { id, state: 'running' };
      case 'continue':
        if (journal.continueFrom(order.journal, order.from)) break;
        log.error(order, 'crossings lost: this unit does not have them');
        return { id, state: 'failed', problem: 'the unit does not have these crossings' };
      case 'update':
        return this.#parts.requestUpdate(order.version).then(
          () => ({ id, state: 'done' }),
          (error: unknown) => ({ id, state: 'failed', problem: textOf(error) }),
        );
      case 'begin-journal':
        journal.beginNew(order.journal);
        break;
      case 'diagnose':
        return { id, state: 'running' };
      default:
        order satisfies never;
    }
    return { id, state: 'done' };
  }

  async #diagnose(id: number): Promise<void> {
    const { uplink, diagnose, log } = this.#parts;
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    try {
      if (!(await uplink.send('diagnosis', await diagnose(id))))
        throw new Error('the connection ended: order it again');
      await this.#answer({ id, state: 'done' });
    } catch (error) {
      if (signal.aborted) return;
      log.error({ id, err: error }, 'diagnosis failed');
      await this.#answer({ id, state: 'failed', problem: textOf(error) });
    }
  }

  /** Reports a command as the latest one. */
  async #answer(report: CommandReport): Promise<void> {
    this.#commands.delete(report.id);
    this.#commands.set(report.id, report);
    const [oldest] = this.#commands.keys();
    if (this.#commands.size > mostRemembered && oldest !== undefined) this.#commands.delete(oldest);
    await this.#report();
  }

  async #save(changes: Partial<RemoteState>): Promise<void> {
    const state = { ...this.#state, ...changes };
    await writeRemoteState(this.#parts.folder, state);
    this.#state = state;
  }

  async #report(): Promise<void> {
    await this.#parts.uplink.report();
  }
}

/** The text of an error in a report, which is bounded. */
const textOf = (error: unknown) => reasonOf(error).slice(0, 500);
