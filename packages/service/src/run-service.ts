import { launchers, onLauncherGone } from './launchers.ts';
import { createLogger, type DestinationStream, type Logger } from './logger.ts';
import { ConfigurationError } from './settings/configuration-error.ts';
import type { Environment } from './settings/environment.ts';

/** Something that runs until it is stopped. */
export interface Running {
  /** Stops taking work, finishes or gives back what it has, and lets go of everything. */
  close(): Promise<void>;
  /** What a supervisor wants to know once it runs, such as the ports it listens on. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Rejects when the service cannot continue, which ends the process. */
  readonly failure?: Promise<never>;
}

/** How long a clean end may take before the process ends anyway (ms). */
const closeDeadline = 10_000;

/**
 * Runs a service: starts it, says so (log line `ready` and, to a supervisor over IPC, `{ ready }`), and
 * stops it on SIGTERM, on SIGINT, and when its supervisor or the npx it was started by is gone. `start` gives
 * up, by throwing the reason of `stopping`, when that comes before it is done.
 *
 * Exit codes: 0 stopped by a signal, 1 failed, 2 a setting cannot be used. The log goes to `lines`, or to standard output.
 */
export async function runService(
  name: string,
  env: Environment,
  start: (log: Logger, stopping: AbortSignal) => Promise<Running>,
  lines?: DestinationStream,
): Promise<void> {
  const stop = stopSignal(env);
  const stopping = new AbortController();
  void stop.then((reason) => stopping.abort(new Error(reason)));
  try {
    const log = createLogger(name, env, lines);
    const running = await start(log, stopping.signal);
    log.info(running.ready, 'ready');
    // Sent to nobody it would end the process, and then the log, which nobody reads either, never lets it exit.
    if (process.connected) process.send?.({ ready: running.ready });
    try {
      log.info({ reason: await Promise.race([stop, running.failure ?? stop]) }, 'stopping');
    } finally {
      await closeWithin(closeDeadline, running);
    }
    log.info('stopped');
    if (process.connected) process.disconnect();
  } catch (error) {
    if (stopping.signal.aborted && error === stopping.signal.reason) process.exit(0);
    console.error(error instanceof ConfigurationError ? error.message : error);
    process.exit(error instanceof ConfigurationError ? 2 : 1);
  }
}

/**
 * Resolves with the reason: a signal, or that its supervisor or launcher has ended. A second signal ends the
 * process at once.
 *
 * The listeners stay after the first signal. Where nobody listens any more, a library that restores the
 * terminal's cursor takes it that the process is to die of the signal, and lets it.
 */
export function stopSignal(env: Environment): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = (reason: string) => {
      if (asked) process.exit(1);
      asked = true;
      resolve(reason);
    };
    process.on('SIGTERM', () => stop('SIGTERM'));
    process.on('SIGINT', () => stop('SIGINT'));
    process.once('disconnect', () => resolve('the supervisor has ended'));
    // A process that had a supervisor keeps `send`; one that lost it while it was loading hears no event any more.
    if (process.send !== undefined && !process.connected) resolve('the supervisor has ended');
    if (!process.connected) onLauncherGone(launchers(env), () => resolve('npx or pnpm has ended'));
  });
}

async function closeWithin(deadline: number, running: Running): Promise<void> {
  const late = setTimeout(() => {
    console.error(`not stopped within ${deadline} ms`);
    process.exit(1);
  }, deadline);
  await running.close();
  clearTimeout(late);
}
