import { launchers, onLauncherGone } from './launchers.ts';
import { createLogger, type DestinationStream, type Logger } from './logger.ts';
import { ConfigurationError } from './settings/configuration-error.ts';
import type { Environment } from './settings/environment.ts';

/** Something that runs until it is stopped. */
export interface Running {
  /** Stops accepting work, completes or requeues what is in flight, and releases everything. */
  close(): Promise<void>;
  /** Facts for the supervisor once it runs, such as the ports that it listens on. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Rejects when the service cannot continue, which ends the process. */
  readonly failure?: Promise<never>;
}

/** How long a clean end may take before the process ends anyway (ms). */
const closeDeadline = 10_000;

/**
 * Runs a service: starts it, reports that it is ready (log line `ready` and, to a supervisor over IPC, `{
 * ready }`), and stops it on SIGTERM, on SIGINT, and when its supervisor or the npx that started it has
 * ended. If `stopping` aborts before `start` is done, `start` must throw the reason of `stopping`.
 *
 * Exit codes: 0 stopped by a signal, 1 failed, 2 a setting cannot be used. The log goes to `lines`, or to
 * standard output.
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
    // Sending without a supervisor would throw, and the log without a reader would then prevent the exit.
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
 * process immediately.
 *
 * The listeners stay after the first signal. Without listeners, a library that restores the terminal's cursor
 * assumes that the signal must end the process, and ends it.
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
    // `send` still exists after the supervisor has ended; if that happened during loading, no event is emitted any more.
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
