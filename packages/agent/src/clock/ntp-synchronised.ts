import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Whether the clock of this machine is synchronised: for systemd-timesyncd by its file, for everything else (chrony, ntpd)
 * by the kernel's state, which `timedatectl` prints. False if neither is known.
 */
export async function ntpSynchronised(): Promise<boolean> {
  if (await exists('/run/systemd/timesync/synchronized')) return true;
  try {
    const options = { timeout: 5_000 };
    const { stdout } = await run('timedatectl', ['show', '-p', 'NTPSynchronized', '--value'], options);
    return stdout.trim() === 'yes';
  } catch {
    return false;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
