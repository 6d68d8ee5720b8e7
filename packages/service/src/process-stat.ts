import { readFileSync } from 'node:fs';

/** What Linux reports about a process; see proc_pid_stat(5). */
interface ProcessStat {
  /** It has ended, but its pid is in use until its parent reads the exit status. */
  readonly zombie: boolean;
  readonly parent: number;
  /** Clock ticks since boot: distinguishes it from a later process with the same pid. */
  readonly startTime: string;
}

/** Undefined when there is no such process, or no /proc. */
export function processStat(pid: number): ProcessStat | undefined {
  const stat = readProcess(pid, 'stat');
  /* The name before may contain spaces and parentheses. */
  const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTime = rest[17];
  if (startTime === undefined) return undefined;
  return { zombie: state === 'Z' || state === 'X', parent: Number(parent), startTime };
}

/** A file of /proc/<pid>; empty when there is no such process, or no /proc. */
export function readProcess(pid: number, file: 'cmdline' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
