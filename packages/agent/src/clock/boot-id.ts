import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** The kernel's name for the time since the machine started; CLOCK_MONOTONIC counts within it. */
export async function readBootId(file = '/proc/sys/kernel/random/boot_id'): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch {
    // Without a boot id from the kernel, each process counts as a boot of its own.
    return randomUUID();
  }
}
