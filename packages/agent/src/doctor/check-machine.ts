import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { DoorView } from '../local/door-view.ts';
import { diskFree } from '../machine/machine-state.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** A journal of a million crossings is 32 MB; below this the next weeks without a server are in doubt. */
const leastFree = 100e6;

/** Whether the clock is synchronised by the network. */
export async function checkClock(env: NodeJS.ProcessEnv): Promise<Finding> {
  const now = new Date().toISOString();
  try {
    const args = ['show', '-p', 'NTPSynchronized', '--value'];
    const { stdout } = await promisify(execFile)('timedatectl', args, { env, timeout: 5_000 });
    if (stdout.trim() === 'yes') return ok('clock', `${now}, set by the network`);
    const advice = 'counting continues; let the unit reach a time server (UDP port 123), see `timedatectl`';
    return warn('clock', `${now}, not set by the network yet`, advice);
  } catch {
    return warn('clock', `${now}, not verified`, 'install systemd-timesyncd or chrony');
  }
}

/**
 * Whether the journal's folder, or the nearest one above it, can be written, how much room is left, and whether the
 * running agent can store crossings.
 */
export async function checkDisk(journal: string, running?: DoorView): Promise<Finding> {
  const { storage, held = 0 } = running?.delivery ?? {};
  if (storage !== undefined) {
    const advice =
      'free the disk, or replace the card; do not switch the unit off while crossings are pending';
    return fail('disk', `${storage}; ${held} crossings only in memory`, advice);
  }
  const folder = await nearestFolder(journal);
  const bytes = await diskFree(folder);
  const free = `${Math.floor(bytes / 1e6)} MB free at ${folder}`;
  try {
    await access(folder, constants.W_OK);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EROFS')
      return fail('disk', `${folder} is read-only`, 'the memory card has failed: replace it');
    return fail('disk', `${folder} cannot be written by this user`, 'run as the agent’s user, or with sudo');
  }
  if (bytes >= leastFree) return ok('disk', free);
  return fail('disk', free, 'delete other files, or use a larger card');
}

/** Whether this machine has a network address. */
export function checkNetwork(): Finding {
  const addresses = Object.entries(networkInterfaces()).flatMap(([name, entries = []]) =>
    entries.filter(({ internal }) => !internal).map(({ address }) => `${name} ${address}`),
  );
  const [first] = addresses;
  if (first !== undefined) return ok('network', first);
  return fail('network', 'no address', 'plug in the cable, or set up Wi-Fi: `nmtui`');
}

async function nearestFolder(path: string): Promise<string> {
  try {
    await access(path);
    return path;
  } catch (error) {
    if (dirname(path) === path) throw error;
    return nearestFolder(dirname(path));
  }
}
