import { BoundedLog } from '@visitor-counter/service/bounded-log';
import {
  decodeCommand,
  decodeConfig,
  type RemoteConfig,
  type UnitCommand,
} from '@visitor-counter/wire/gateway-messages';
import type { Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import { Mutex } from '../async/concurrency.ts';
import { CommandRunner, type RunnerParts } from './command-runner.ts';
import { textOf } from './remote-memory.ts';
import { parseRemoteSettings } from './remote-settings.ts';

interface RemoteParts extends RunnerParts {
  readonly identify: () => void;
  /** Restarts the door with the settings that are stored now. */
  readonly restartDoor: () => void;
  /** Executes the command `restart`. */
  readonly restart: () => void;
}

/** The most unfinished commands; further ones are ignored, and the gateway sends them again later. */
const mostRunning = 64;

/** The gateway repeats an unreported order every second or every 10 s: a few failures are logged in each window (ms). */
const loggedFailures = { lines: 3, window: 600_000 };

/**
 * Executes the orders of the gateway, which repeats each until a heartbeat reports it. A command is executed
 * at most once, even if the gateway repeats it: a `restart` is stored durably before it is executed. Settings
 * that cannot be used change nothing.
 */
export class RemoteControl {
  readonly #parts: RemoteParts;
  /** Execute the long commands. */
  readonly #runners: readonly CommandRunner[];
  #refused: { revision: number; problem: string } | undefined;
  readonly #mutex = new Mutex();
  readonly #failures: BoundedLog;

  constructor(parts: RemoteParts) {
    this.#parts = parts;
    this.#failures = new BoundedLog(parts.log, loggedFailures);
    this.#runners = [new CommandRunner('journal', parts), new CommandRunner('diagnosis', parts)];
  }

  /** The answers to the gateway's orders, for the heartbeat. */
  get answers(): Pick<Heartbeat, 'config' | 'commands'> {
    const { revision, reports } = this.#parts.memory;
    return {
      ...(this.#refused ? { config: this.#refused } : revision > 0 ? { config: { revision } } : {}),
      ...(reports.length > 0 && { commands: reports }),
    };
  }

  /** Continues the unfinished commands of the previous start. This start completes a `restart`. */
  start(): void {
    const { memory } = this.#parts;
    const restarts = memory.running.filter(({ order }) => order.command === 'restart');
    for (const { order } of restarts) memory.update(order.id, { state: 'done' });
    if (restarts.length > 0) this.#next(() => memory.save());
    this.#wakeRunners();
  }

  receiveConfig(payload: Uint8Array): void {
    const message = decodeConfig(payload);
    if ('malformed' in message) this.#failures.write('warn', { message }, 'malformed settings ignored');
    else this.#next(() => this.#configure(message));
  }

  receiveCommand(payload: Uint8Array): void {
    const message = decodeCommand(payload);
    if ('malformed' in message) this.#failures.write('warn', { message }, 'malformed command ignored');
    else this.#next(() => this.#execute(message));
  }

  /** Resolves when the orders received so far are executed or passed to their runners. */
  processed(): Promise<void> {
    return this.#mutex.runExclusive(async () => {});
  }

  /** Ends long commands, and starts no more; a message in flight is awaited until its connection ends. */
  async stop(): Promise<void> {
    await Promise.all(this.#runners.map((runner) => runner.stop()));
  }

  #next(work: () => Promise<void>): void {
    this.#mutex
      .runExclusive(work)
      .catch((error: unknown) => this.#failures.write('error', { err: error }, 'command or settings failed'));
  }

  async #configure({ revision, settings }: RemoteConfig): Promise<void> {
    const { memory, restartDoor, log } = this.#parts;
    if (revision === this.#refused?.revision) return this.#report();
    this.#refused = undefined;
    if (revision === memory.revision) return this.#report();
    try {
      parseRemoteSettings(settings);
    } catch (error) {
      const problem = textOf(error);
      log.error({ revision, problem }, 'remote settings refused');
      this.#refused = { revision, problem };
      return this.#report();
    }
    await memory.save((state) => ({ ...state, revision, settings }));
    log.info({ revision, settings }, 'remote settings stored');
    await this.#report();
    restartDoor();
  }

  async #execute(order: UnitCommand): Promise<void> {
    const { memory, log } = this.#parts;
    const { id, command } = order;
    if (memory.recognises(id)) return this.#report();
    if (memory.running.length >= mostRunning)
      return this.#failures.write(
        'warn',
        { id, command, running: memory.running.length },
        'command ignored: too many are unfinished',
      );
    log.info({ command: order }, 'command received');
    switch (command) {
      case 'identify':
        return this.#identify(order);
      case 'restart':
        return this.#restart(order);
      case 'resend':
      case 'begin-journal':
      case 'diagnose':
        memory.add(order, 'running');
        await memory.trySave();
        return this.#wakeRunners();
      default:
        command satisfies never;
    }
  }

  async #report(): Promise<void> {
    await this.#parts.uplink.report();
  }

  #wakeRunners(): void {
    for (const runner of this.#runners) runner.wake();
  }

  async #identify(order: UnitCommand): Promise<void> {
    const { memory, identify } = this.#parts;
    memory.add(order, 'done');
    identify();
    await memory.trySave();
    await this.#report();
  }

  /** Stores the command first: otherwise the gateway would send it to the restarted process again and again. */
  async #restart(order: UnitCommand): Promise<void> {
    const { memory, restart } = this.#parts;
    await memory.addDurably(order);
    await this.#report();
    restart();
  }
}
