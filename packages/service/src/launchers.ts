import { readFileSync } from 'node:fs';
import type { Environment } from './settings/environment.ts';

/**
 * The processes between this one and the caller of `npx pnpm <script>`: a shell, pnpm, another shell, npx.
 * Empty if it was started directly, and without /proc.
 */
export function launchers(env: Environment): number[] {
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
export function onLauncherEnded(pids: readonly number[], callback: () => void): void {
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
  return read(`/proc/${pid}/cmdline`).split('\0');
}

function parentOf(pid: number): number {
  return stateOf(pid)?.parent ?? 0;
}

/** A zombie, an ended process that its parent has not reaped yet, counts as ended. */
function isAlive(pid: number): boolean {
  const state = stateOf(pid)?.state;
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/**
 * From /proc/<pid>/stat, after the name, which may contain spaces and parentheses; undefined if the process
 * has ended.
 */
function stateOf(pid: number): { state: string; parent: number } | undefined {
  const stat = read(`/proc/${pid}/stat`);
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state && parent ? { state, parent: Number(parent) } : undefined;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
