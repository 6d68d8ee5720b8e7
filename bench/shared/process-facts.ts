import { readFile } from 'node:fs/promises';

/** The most memory that a process has had resident (bytes), from the kernel; NaN if unavailable. */
export async function peakMemory(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return 1_024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN);
}

/** The processor time that a process has used so far (s); NaN if unavailable. */
export async function processorTime(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  /* The name of the program, in parentheses, may contain any character; user and system time follow (proc_pid_stat(5)). */
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** USER_HZ, the unit of these times on all Linux platforms of Node. */
const ticksPerSecond = 100;

/** The resident memory of a process now (bytes); NaN if unavailable. */
export async function residentMemory(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return 1_024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN);
}
