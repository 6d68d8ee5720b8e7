import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pause } from '@visitor-counter/service/pause';

interface UnitOptions {
  readonly configFile: string;
  /** The file to which the output of the unit is appended. */
  readonly logFile: string;
  /** Called with every message that the unit sends to its supervisor. */
  readonly onMessage: (message: unknown) => void;
  /** Called when the unit has ended without being stopped; it is then started again. */
  readonly onUnexpectedEnd: (how: string) => void;
}

const program = fileURLToPath(import.meta.resolve('@visitor-counter/agent/main'));

/** A small young generation: like a real unit, this one has time, and little memory. */
const nodeArguments = ['--max-semi-space-size=1', '--optimize-for-size', program, 'run', '--config'];

/** Pause before the next run (ms). */
const restartAfter = 1_000;

/**
 * A unit in a process of its own, which is started again, after a pause, until it is stopped: that of an earlier demonstration
 * which was killed may still need a moment to release the journals.
 */
export class UnitProcess {
  readonly #options: UnitOptions;
  readonly #stopping = new AbortController();
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;
  #child: ChildProcess | undefined;

  constructor(options: UnitOptions) {
    this.#options = options;
    mkdirSync(dirname(options.logFile), { recursive: true });
    this.#ended = this.#run();
  }

  /** Resolves when all doors run, or when it is stopped. */
  get ready(): Promise<void> {
    return Promise.race([this.#ready.promise, this.#ended]);
  }

  async stop(): Promise<void> {
    /* A second signal would end it immediately. */
    if (!this.#stopping.signal.aborted) this.#child?.kill('SIGTERM');
    this.#stopping.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#child = this.#spawn();
      const [code, killedBy] = await once(this.#child, 'close');
      if (signal.aborted) return;
      this.#options.onUnexpectedEnd(killedBy ? `signal ${killedBy}` : `exit code ${code}`);
      await pause(restartAfter, signal);
    }
  }

  /**
   * It has a process group of its own, so that Ctrl-C reaches it through its supervisor, in order, and it stops automatically
   * when the supervisor has ended (IPC disconnects).
   */
  #spawn(): ChildProcess {
    const log = openSync(this.#options.logFile, 'a');
    const child = spawn(process.execPath, [...nodeArguments, this.#options.configFile], {
      stdio: ['ignore', log, log, 'ipc'],
      detached: true,
    });
    closeSync(log);
    child.on('message', (message) => {
      if (typeof message === 'object' && message !== null && 'ready' in message) this.#ready.resolve();
      this.#options.onMessage(message);
    });
    return child;
  }
}
