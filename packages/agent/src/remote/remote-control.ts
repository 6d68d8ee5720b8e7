import type { Logger } from '@visitor-counter/service/logger';
import {
  decodeCommand,
  decodeConfig,
  type RemoteConfig,
  type UnitCommand,
} from '@visitor-counter/wire/gateway-messages';
import type { CommandReport } from '@visitor-counter/wire/heartbeat-message';
import type { Uplink } from '../uplink/uplink.ts';
import type { CommandRunner } from './command-runner.ts';
import { type RemoteMemory, textOf } from './remote-memory.ts';
import { parseRemoteSettings } from './remote-settings.ts';
import { notStored } from './resend.ts';

export interface RemoteParts {
  readonly memory: RemoteMemory;
  readonly runner: Pick<CommandRunner, 'wake' | 'stop' | 'ended'>;
  readonly identify: () => void;
  /** Restarts the door with the settings that are stored now. */
  readonly restartDoor: () => void;
  /** Executes the command `restart`. */
  readonly restart: () => void;
  /** Executes the command `diagnose` with this id. */
  readonly diagnose: (id: number, signal: AbortSignal) => Promise<void>;
  readonly uplink: Pick<Uplink, 'report'>;
  readonly log: Logger;
}

/** What a heartbeat reports about the gateway's orders. */
export interface RemoteAnswers {
  readonly config?: { readonly revision: number; readonly problem?: string };
  readonly commands?: CommandReport[];
}

/** The most unfinished commands; further ones are ignored, and the gateway sends them again later. */
const mostRunning = 64;

/**
 * Executes the orders of the gateway, which repeats each until a heartbeat reports it. A command is executed at most
 * once, whatever the gateway repeats: a `restart` is durably known before it is executed. Settings that cannot be
 * used change nothing.
 */
export class RemoteControl {
  readonly #parts: RemoteParts;
  #refused: { revision: number; problem: string } | undefined;
  #working: Promise<void> = Promise.resolve();
  /** One diagnosis at a time, concurrently with everything else: it must not wait for a long resend. */
  #diagnosing: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();

  constructor(parts: RemoteParts) {
    this.#parts = parts;
  }

  get answers(): RemoteAnswers {
    const { revision, reports } = this.#parts.memory;
    return {
      ...(this.#refused ? { config: this.#refused } : revision > 0 ? { config: { revision } } : {}),
      ...(reports.length > 0 && { commands: reports }),
    };
  }

  /** Continues the unfinished commands of the previous start. This start completes a `restart`. */
  start(): void {
    const { memory, runner } = this.#parts;
    const restarts = memory.running.filter(({ order }) => order.command === 'restart');
    for (const { order } of restarts) memory.update(order.id, { state: 'done' });
    if (restarts.length > 0) this.#next(() => memory.save());
    for (const { order } of memory.running) if (order.command === 'diagnose') this.#diagnose(order.id);
    runner.wake();
  }

  receiveConfig(payload: Uint8Array): void {
    const message = decodeConfig(payload);
    if ('malformed' in message) this.#parts.log.warn({ message }, 'malformed settings ignored');
    else this.#next(() => this.#configure(message));
  }

  receiveCommand(payload: Uint8Array): void {
    const message = decodeCommand(payload);
    if ('malformed' in message) this.#parts.log.warn({ message }, 'malformed command ignored');
    else this.#next(() => this.#execute(message));
  }

  /** Resolves when the orders received so far are executed or passed to the runner. */
  processed(): Promise<void> {
    return this.#working;
  }

  stop(): void {
    this.#stopping.abort();
    this.#parts.runner.stop();
  }

  /** After `stop`: resolves when nothing is executed or written any more. */
  async ended(): Promise<void> {
    await this.#working;
    await this.#diagnosing;
    await this.#parts.runner.ended();
  }

  #next(work: () => Promise<void>): void {
    this.#working = this.#working
      .then(work)
      .catch((error: unknown) => this.#parts.log.error({ err: error }, 'command or settings failed'));
  }

  async #configure({ revision, settings }: RemoteConfig): Promise<void> {
    const { memory, uplink, restartDoor, log } = this.#parts;
    if (revision === this.#refused?.revision) return uplink.report();
    this.#refused = undefined;
    if (revision === memory.revision) return uplink.report();
    try {
      parseRemoteSettings(settings);
    } catch (error) {
      const problem = textOf(error);
      log.error({ revision, problem }, 'remote settings refused');
      this.#refused = { revision, problem };
      return uplink.report();
    }
    await memory.saveSettings(revision, settings);
    log.info({ revision, settings }, 'remote settings stored');
    await uplink.report();
    restartDoor();
  }

  async #execute(order: UnitCommand): Promise<void> {
    const { memory, runner, identify, uplink, log } = this.#parts;
    const { id, command } = order;
    if (memory.recognises(id)) return uplink.report();
    if (memory.running.length >= mostRunning)
      return log.warn(
        { id, command, running: memory.running.length },
        'too many commands; this one is ignored',
      );
    log.info({ command: order }, 'command received');
    memory.add(order, command === 'identify' ? 'done' : 'running');
    if (command === 'restart') return this.#restart(id);
    if (command === 'identify') identify();
    await memory.save().catch(notStored(log));
    if (command === 'identify') await uplink.report();
    else if (command === 'diagnose') this.#diagnose(id);
    else runner.wake();
  }

  #diagnose(id: number): void {
    const { memory, diagnose, uplink, log } = this.#parts;
    const { signal } = this.#stopping;
    const execute = async () => {
      const problem = await diagnose(id, signal).then(() => undefined, textOf);
      if (signal.aborted) return;
      memory.update(id, problem === undefined ? { state: 'done' } : { state: 'failed', problem });
      if (problem === undefined) log.info({ id }, 'diagnosis sent');
      else log.error({ id, problem }, 'diagnosis failed');
      await memory.save().catch(notStored(log));
      await uplink.report();
    };
    this.#diagnosing = this.#diagnosing.then(() => (signal.aborted ? undefined : execute()));
  }

  /** Stores the command first: otherwise the gateway would send it to the restarted process again and again. */
  async #restart(id: number): Promise<void> {
    const { memory, uplink, restart } = this.#parts;
    try {
      await memory.save();
    } catch (error) {
      memory.forget(id);
      throw error;
    }
    await uplink.report();
    restart();
  }
}
