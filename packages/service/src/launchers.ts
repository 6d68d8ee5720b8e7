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

/** How often to look whether a launcher is gone (ms). */
const lookEvery = 250;

/**
 * Calls back once when one of the launchers is gone. npx and pnpm end on SIGTERM without passing it on, and
 * would leave the service behind; what it was started through stands for it.
 */
export function onLauncherGone(pids: readonly number[], callback: () => void): void {
  if (pids.length === 0) return;
  const timer = setInterval(() => {
    if (pids.every(isAlive)) return;
    clearInterval(timer);
    callback();
  }, lookEvery);
  timer.unref();
}

/**
 * Whether a command line is npx, npm, pnpm, or the shell that one of them runs the next in: `sh -c 'pnpm' api`.
 *
 * A shell that was given more to do than that, such as `npx pnpm api & sleep 9`, is the caller: it may
 * end and leave the service running.
 */
export function isLauncher(argv: readonly string[]): boolean {
  const [program = '', first = '', second = ''] = argv;
  /* npm renames its process: all in one, `npm exec pnpm api`. */
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

/** An ended process that nobody has waited for yet, a zombie, counts as gone. */
function isAlive(pid: number): boolean {
  const state = stateOf(pid)?.state;
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** From /proc/<pid>/stat, behind the name, which may hold spaces and parentheses; undefined when gone. */
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
