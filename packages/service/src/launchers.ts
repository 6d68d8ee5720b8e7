import { readFileSync } from 'node:fs';
import type { Environment } from './environment.ts';

/**
 * The processes between this one and whoever called `npx pnpm <script>`: a shell, pnpm, another shell, npx.
 * Empty where it was started directly, and where /proc does not tell.
 */
export function launchers(env: Environment): number[] {
  if (env['npm_lifecycle_event'] === undefined || process.platform !== 'linux') return [];
  const found = [process.ppid];
  for (let pid = parentOf(process.ppid); pid > 1 && isLauncher(pid); pid = parentOf(pid)) found.push(pid);
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

function isLauncher(pid: number): boolean {
  return /\b(npm|npx|pnpm)\b/.test(read(`/proc/${pid}/cmdline`).replaceAll('\0', ' '));
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
