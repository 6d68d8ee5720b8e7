import type { Logger } from '@visitor-counter/service/logger';
import { decodeCommand, type UnitCommand } from '@visitor-counter/wire/command-message';
import { decodeConfig, type RemoteConfig } from '@visitor-counter/wire/config-message';
import type { CommandReport } from '@visitor-counter/wire/heartbeat-message';
import { maxReportedCommands } from '@visitor-counter/wire/limits';
import type { FileSystem } from '../journal/file-system.ts';
import type { Uplink } from '../uplink/uplink.ts';
import { parseRemoteSettings } from './remote-settings.ts';
import { type RemoteState, writeRemoteState } from './remote-state.ts';

export interface RemoteParts {
  readonly files: FileSystem;
  /** Where the state is kept: the journal's folder. */
  readonly folder: string;
  readonly identify: () => void;
  /** Starts the door anew, with the settings that are kept now. */
  readonly startAnew: () => void;
  /** Does the command `restart`. */
  readonly restart: () => void;
  readonly uplink: Pick<Uplink, 'report' | 'resend'>;
  readonly log: Logger;
}

/** Commands that are remembered, so that none is executed twice. */
const mostRemembered = 64;

/** What a heartbeat says of the gateway's orders. */
export interface RemoteAnswers {
  readonly config?: { readonly revision: number; readonly problem?: string };
  readonly commands?: CommandReport[];
}

/**
 * Does what the gateway asks, one thing after the other. The gateway repeats itself until it hears an answer.
 *
 * A command is noted durably before it is done, so that it is done at most once: a `restart` that is asked for
 * again after the restart would never end. Settings that cannot be used change nothing.
 */
export class RemoteControl {
  readonly #parts: RemoteParts;
  #state: RemoteState;
  #refused: { revision: number; problem: string } | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(state: RemoteState, parts: RemoteParts) {
    this.#state = state;
    this.#parts = parts;
  }

  get answers(): RemoteAnswers {
    const { revision, commands } = this.#state;
    return {
      ...(this.#refused ? { config: this.#refused } : revision > 0 ? { config: { revision } } : {}),
      ...(commands.length > 0 ? { commands: commands.slice(0, maxReportedCommands) } : {}),
    };
  }

  hearConfig(payload: Uint8Array): void {
    const message = decodeConfig(payload);
    if ('malformed' in message) this.#parts.log.warn({ message }, 'settings that cannot be read');
    else this.#next(() => this.#configure(message));
  }

  hearCommand(payload: Uint8Array): void {
    const message = decodeCommand(payload);
    if ('malformed' in message) this.#parts.log.warn({ message }, 'a command that cannot be read');
    else this.#next(() => this.#obey(message));
  }

  /** Resolves when what was heard is done. */
  settled(): Promise<void> {
    return this.#working;
  }

  #next(work: () => Promise<void>): void {
    this.#working = this.#working
      .then(work)
      .catch((error: unknown) => this.#parts.log.error({ err: error }, 'the gateway was not obeyed'));
  }

  async #configure({ revision, settings }: RemoteConfig): Promise<void> {
    const { log, startAnew } = this.#parts;
    const known = this.#refused?.revision ?? this.#state.revision;
    if (revision === known) return this.#answer();
    try {
      parseRemoteSettings(settings);
    } catch (error) {
      const problem = error instanceof Error ? error.message.slice(0, 500) : String(error);
      log.error({ revision, problem }, 'remote settings refused');
      this.#refused = { revision, problem };
      return this.#answer();
    }
    await this.#keep({ ...this.#state, revision, settings });
    this.#refused = undefined;
    log.info({ revision, settings }, 'remote settings taken');
    await this.#answer();
    startAnew();
  }

  async #obey(message: UnitCommand): Promise<void> {
    const { log, identify, restart, uplink } = this.#parts;
    const { id, command } = message;
    const { commands } = this.#state;
    if (commands.some((known) => known.id === id)) return this.#answer();
    await this.#keep({
      ...this.#state,
      commands: [{ id, state: 'done' as const }, ...commands].slice(0, mostRemembered),
    });
    log.info({ command: message }, 'command of the gateway');
    await this.#answer();
    if (command === 'identify') identify();
    else if (command === 'resend' && 'from' in message)
      uplink
        .resend(message)
        .catch((error: unknown) => log.warn({ err: error, command: message }, 'not all was sent again'));
    else if (command === 'restart') restart();
  }

  /** The next heartbeat, which says what was done, comes at once. */
  #answer(): Promise<void> {
    return this.#parts.uplink.report();
  }

  async #keep(state: RemoteState): Promise<void> {
    const { files, folder } = this.#parts;
    await writeRemoteState(files, folder, state);
    this.#state = state;
  }
}
