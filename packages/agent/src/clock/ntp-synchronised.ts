import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Whether something keeps this machine's clock right: systemd-timesyncd by its file, everything else (chrony,
 * ntpd) by what the kernel says through `timedatectl`. False where nothing tells.
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
