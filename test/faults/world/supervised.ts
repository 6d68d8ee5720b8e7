import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface SupervisedOptions {
  readonly name: string;
  /** The arguments of `node`. */
  readonly args: readonly string[];
  readonly env: () => Readonly<Record<string, string>>;
  /** The file of its output. */
  readonly logFile: string;
  readonly onMessage?: (message: Readonly<Record<string, unknown>>) => void;
}

/** The pause before a process is restarted (ms). */
const restartAfter = 100;
/** Time limit of the first start (ms). */
const startDeadline = 300_000;

/** A process that is restarted whenever it exits, until it is stopped. */
export class Supervised {
  /** Its exits that were not kills, with its last output. */
  readonly ends: string[] = [];
  /** How often it was killed by `kill`. */
  kills = 0;
  readonly name: string;
  readonly #options: SupervisedOptions;
  readonly #log: WriteStream;
  readonly #standing = new Map<string, unknown>();
  readonly #ready = Promise.withResolvers<void>();
  #child: ChildProcess | undefined;
  #stopped: ChildProcess | undefined;
  #killed: ChildProcess | undefined;
  #lastWords = '';
  #stopping = false;
  #startAgain: Promise<void> = Promise.resolve();
  #supervision: Promise<void> = Promise.resolve();

  constructor(options: SupervisedOptions) {
    this.name = options.name;
    this.#options = options;
    this.#log = createWriteStream(options.logFile, { flags: 'a' });
  }

  /** Starts it, and resolves when it reports for the first time that it is ready; rejects if it does not. */
  start(): Promise<void> {
    this.#supervision = this.#supervise();
    const late = setTimeout(
      () => this.#ready.reject(new Error(`${this.name} does not start: ${this.#options.logFile}`)),
      startDeadline,
    );
    return this.#ready.promise.finally(() => clearTimeout(late));
  }

  /**
   * kill -9; resolves when it has exited. A process that is just restarting is killed when it runs. `onDead` is called
   * before it is restarted.
   */
  async kill(onDead: () => void = () => {}): Promise<void> {
    for (;;) {
      const child = this.#child;
      const alive = child !== undefined && child.exitCode === null && child.signalCode === null;
      if (alive && child !== this.#killed) {
        this.#killed = child;
        const dead = once(child, 'exit');
        child.kill('SIGKILL');
        await dead;
        if (child.signalCode === 'SIGKILL') {
          this.kills += 1;
          onDead();
          return;
        }
      }
      if (this.#stopping) return;
      await delay(20);
    }
  }

  /** Stops it as an operator does, unless it has ended. */
  async #stopOnce(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    this.#stopped = child;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  /** Stops it as an operator does, and starts it again after `work`. */
  async whileStopped(work: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#startAgain = promise;
    try {
      await this.#stopOnce();
      await work();
    } finally {
      resolve();
    }
  }

  /** Sends a message to the process, also after every restart. */
  set(setting: string, value: unknown): void {
    this.#standing.set(setting, value);
    this.tellOnce({ [setting]: value });
  }

  tellOnce(message: Record<string, unknown>): void {
    if (this.#child?.connected) this.#child.send(message, () => {});
  }

  /** Stops it as an operator does; returns the exit code. */
  async stop(): Promise<number | null> {
    this.#stopping = true;
    this.#child?.kill('SIGTERM');
    await this.#supervision;
    this.#log.end();
    return this.#child?.exitCode ?? null;
  }

  async #supervise(): Promise<void> {
    while (!this.#stopping) {
      const child = this.#spawn();
      this.#child = child;
      await once(child, 'close');
      if (this.#stopping) return;
      const isKilled = child.signalCode === 'SIGKILL' && this.#killed === child;
      /* A process that has just begun has no handler yet: the signal itself ends it. */
      const isStopped = this.#stopped === child && (child.exitCode === 0 || child.signalCode === 'SIGTERM');
      if (!isKilled && !isStopped)
        this.ends.push(`${child.exitCode ?? child.signalCode}: ${this.#lastWords}`);
      await delay(restartAfter);
      await this.#startAgain;
    }
  }

  #spawn(): ChildProcess {
    const { args, env, onMessage = () => {} } = this.#options;
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env() },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#lastWords = '';
    for (const output of [child.stdout, child.stderr]) {
      output?.on('data', (chunk) => {
        this.#lastWords = (this.#lastWords + chunk).slice(-4_000);
      });
    }
    child.stdout?.pipe(this.#log, { end: false });
    child.stderr?.pipe(this.#log, { end: false });
    child.on('message', (message) => {
      if (typeof message !== 'object') return;
      const report: Record<string, unknown> = { ...message };
      if ('ready' in report) {
        this.#ready.resolve();
        /* Its own listener may have missed them: a preloaded module listens before it does. */
        this.#sendSettings(child);
      }
      onMessage(report);
    });
    this.#sendSettings(child);
    return child;
  }

  #sendSettings(child: ChildProcess): void {
    for (const [setting, value] of this.#standing) child.send({ [setting]: value }, () => {});
  }
}

/** Arguments of `node` that let the campaign set the wall clock of a process. */
export const movingClock: readonly string[] = [
  '--import',
  new URL('../programs/moving-clock.ts', import.meta.url).href,
];
