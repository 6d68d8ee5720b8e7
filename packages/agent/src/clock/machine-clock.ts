import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Whether the clock of this machine is synchronised: for systemd-timesyncd by its file, for everything else (chrony, ntpd)
 * by the kernel's state, which `timedatectl` prints. False if neither is known.
 */
export async function ntpSynchronised(): Promise<boolean> {
  if (existsSync('/run/systemd/timesync/synchronized')) return true;
  try {
    const options = { timeout: 5_000 };
    const { stdout } = await run('timedatectl', ['show', '-p', 'NTPSynchronized', '--value'], options);
    return stdout.trim() === 'yes';
  } catch {
    return false;
  }
}

/** The kernel's name for the time since the machine started; CLOCK_MONOTONIC counts within it. */
export async function readBootId(file = '/proc/sys/kernel/random/boot_id'): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch {
    // Without a boot id from the kernel, each process counts as a boot of its own.
    return randomUUID();
  }
}
