import { createLogger, type DestinationStream, type Logger } from './logger.ts';
import { processStat, readProcess } from './process-stat.ts';
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
  const stopping = stopSignal(env);
  try {
    const log = createLogger(name, env, lines);
    const running = await start(log, stopping);
    log.info(running.ready, 'ready');
    /* Sending without a supervisor would throw, and the log without a reader would then prevent the exit. */
    if (process.connected) process.send?.({ ready: running.ready });
    try {
      const stopped = aborted(stopping);
      await Promise.race([stopped, running.failure ?? stopped]);
      log.info({ reason: stopping.reason.message }, 'stopping');
    } finally {
      await closeWithin(closeDeadline, running);
    }
    log.info('stopped');
    if (process.connected) process.disconnect();
  } catch (error) {
    if (stopping.aborted && error === stopping.reason) process.exit(0);
    console.error(error instanceof ConfigurationError ? error.message : error);
    process.exit(error instanceof ConfigurationError ? 2 : 1);
  }
}

/**
 * Aborts on SIGTERM, on SIGINT, and when the supervisor or the launcher of this process has ended; the message of the reason
 * says which. A second signal ends the process immediately.
 *
 * The listeners stay after the first signal. Without listeners, a library that restores the terminal's cursor assumes that
 * the signal must end the process, and ends it.
 */
export function stopSignal(env: Environment): AbortSignal {
  const stopping = new AbortController();
  const stop = (reason: string) => stopping.abort(new Error(reason));
  let hasSignal = false;
  for (const name of ['SIGTERM', 'SIGINT']) {
    process.on(name, () => {
      if (hasSignal) process.exit(1);
      hasSignal = true;
      stop(name);
    });
  }
  process.once('disconnect', () => stop('the supervisor has ended'));
  /* `send` still exists after the supervisor has ended; if that happened during loading, no event is emitted any more. */
  if (process.send !== undefined && !process.connected) stop('the supervisor has ended');
  if (!process.connected) onLauncherEnded(launchers(env), () => stop('npx or pnpm has ended'));
  return stopping.signal;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

async function closeWithin(deadline: number, running: Running): Promise<void> {
  const late = setTimeout(() => {
    console.error(`not stopped within ${deadline} ms`);
    process.exit(1);
  }, deadline);
  await running.close();
  clearTimeout(late);
}

/**
 * The processes between this one and the caller of `npx pnpm <script>`: a shell, pnpm, another shell, npx.
 * Empty if it was started directly, and without /proc.
 */
function launchers(env: Environment): number[] {
  if (env['npm_lifecycle_event'] === undefined || process.platform !== 'linux') return [];
  const found = [process.ppid];
  for (let pid = parentOf(process.ppid); pid > 1 && isLauncher(argvOf(pid)); pid = parentOf(pid))
    found.push(pid);
  return found;
}

/** Checking interval for launchers that have ended (ms). */
const checkEvery = 250;

/**
 * Calls back once when one of the launchers has ended. npx and pnpm end on SIGTERM without forwarding it, and
 * the service would continue without them; so the end of a launcher counts as the signal.
 */
function onLauncherEnded(pids: readonly number[], callback: () => void): void {
  if (pids.length === 0) return;
  const timer = setInterval(() => {
    if (pids.every(isAlive)) return;
    clearInterval(timer);
    callback();
  }, checkEvery);
  timer.unref();
}

/**
 * Whether a command line is npx, npm, pnpm, or the shell in which one of them runs the next one: `sh -c
 * 'pnpm' api`.
 *
 * A shell with further commands, such as `npx pnpm api & sleep 9`, is the caller: it may end and leave the
 * service running.
 */
export function isLauncher(argv: readonly string[]): boolean {
  const [program = '', first = '', second = ''] = argv;
  /* npm changes its process title to one argument: `npm exec pnpm api`. */
  if (isRunner(program.split(' ', 1)[0] ?? '')) return true;
  if (nameOf(program) === 'node') return isRunner(first);
  return /^(ba|da)?sh$/.test(nameOf(program)) && first === '-c' && isRunOnly(second);
}

function isRunOnly(command: string): boolean {
  const [word = ''] = command.trim().split(/\s/, 1);
  const doesMore = /[;|\n]|(?<!>)&/.test(command);
  return isRunner(word.replace(/^'(.*)'$/, '$1')) && !doesMore;
}

function isRunner(path: string): boolean {
  return /^(npm|npx|pnpm)(-cli)?(\.[cm]?js)?$/.test(nameOf(path));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function argvOf(pid: number): string[] {
  return readProcess(pid, 'cmdline').split('\0');
}

function parentOf(pid: number): number {
  return processStat(pid)?.parent ?? 0;
}

function isAlive(pid: number): boolean {
  return processStat(pid)?.zombie === false;
}
