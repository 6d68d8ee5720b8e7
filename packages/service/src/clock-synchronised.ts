import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Whether the clock of this machine is synchronised: a file of systemd-timesyncd shows it; for all others (chrony, ntpd) the
 * state of the kernel, which `timedatectl` prints. Undefined if neither is known.
 */
export async function isClockSynchronised(
  env: NodeJS.ProcessEnv = process.env,
): Promise<boolean | undefined> {
  if (existsSync('/run/systemd/timesync/synchronized')) return true;
  try {
    const args = ['show', '--property=NTPSynchronized', '--value'];
    const { stdout } = await run('timedatectl', args, { env, timeout: 5_000 });
    return { yes: true, no: false }[stdout.trim()];
  } catch {
    return undefined;
  }
}
