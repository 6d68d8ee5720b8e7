import { readFile } from 'node:fs/promises';

/** What Linux tells about a process; see proc_pid_stat(5). */
export interface ProcessStat {
  /** It has ended, and only its number is still taken because nobody asked how. */
  readonly zombie: boolean;
  /** Clock ticks since boot: tells it from a later process of the same number. */
  readonly startTime: string;
}

/** Undefined when there is no such process, or no /proc. */
export async function processStat(pid: number): Promise<ProcessStat | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTime = rest[18];
  return startTime === undefined ? undefined : { zombie: state === 'Z' || state === 'X', startTime };
}
