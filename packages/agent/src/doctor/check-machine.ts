import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readdir, statfs } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { isDiskLow } from '@visitor-counter/domain/disk-room';
import { isClockSynchronised } from '@visitor-counter/service/clock-synchronised';
import { codeOf } from '@visitor-counter/service/errors';
import type { Finding } from '@visitor-counter/wire/diagnosis-message';
import type { DoorView } from '../local/door-view.ts';
import { diskRoom } from '../machine/machine-state.ts';
import { logCommand, type ServiceState, serviceOf, serviceState } from '../machine/service-state.ts';
import { updateReport, updateText } from '../update/update.ts';
import { fail, ok, warn } from './finding.ts';

/** Whether the clock is synchronised by the network. */
export async function checkClock(env: NodeJS.ProcessEnv): Promise<Finding> {
  const now = new Date().toISOString();
  const isSynchronised = await isClockSynchronised(env);
  if (isSynchronised) return ok('clock', `${now}, set by the network`);
  if (isSynchronised === undefined)
    return warn('clock', `${now}, not verified`, 'install systemd-timesyncd or chrony');
  const advice = 'counting continues; let the unit reach a time server (UDP port 123), see `timedatectl`';
  return warn('clock', `${now}, not set by the network yet`, advice);
}

/** Whether something has changed the clock while the agent runs; empty otherwise. */
export function checkClockChange(running?: DoorView): Finding[] {
  if (running?.clockProblem === undefined) return [];
  const advice =
    'find what sets the clock, such as the service of a battery clock, and let the unit reach a time server (UDP port 123)';
  return [warn('clock', running.clockProblem, advice)];
}

/**
 * Whether the journal's folder, or the nearest one above it, can be written, how much room is left, and whether the
 * running agent can store crossings.
 */
export async function checkDisk(journal: string, running?: DoorView): Promise<Finding> {
  const { storage, held, lost } = running?.delivery ?? {};
  if (storage !== undefined) {
    const advice =
      'free the disk, or replace the card; do not switch the unit off while crossings are pending';
    return fail('disk', `${storage}; ${held} crossings only in memory`, advice);
  }
  const folder = await nearestFolder(journal);
  if (running && folder !== journal) {
    const detail = `${journal} was removed while the agent runs: crossings are lost when it ends`;
    return fail('disk', detail, 'wait until `status` shows no pending crossings, then restart the agent');
  }
  const kind = volatileKinds.get((await statfs(folder)).type);
  if (kind !== undefined) {
    const detail = `${folder} is on ${kind}: a power cut removes all crossings that are not delivered`;
    return warn('disk', detail, 'mount a disk there, or switch the read-only mode off: `sudo raspi-config`');
  }
  const { diskFree, diskSize } = diskRoom(folder);
  const free = `${Math.floor(diskFree / 1e6)} MB free at ${folder}`;
  try {
    await access(folder, constants.W_OK);
  } catch (error) {
    if (codeOf(error) === 'EROFS')
      return fail('disk', `${folder} is read-only`, 'the memory card has failed: replace it');
    return fail('disk', `${folder} cannot be written by this user`, 'run as the agent’s user, or with sudo');
  }
  if (isDiskLow(diskFree, diskSize)) return fail('disk', free, 'delete other files, or use a larger card');
  if (lost) return warn('disk', `${lost} crossings of the journal could not be read`, 'replace the card');
  return ok('disk', free);
}

/** File systems in memory, by their magic numbers: statfs(2). */
const volatileKinds: ReadonlyMap<number, string> = new Map([
  [0x0102_1994, 'tmpfs'],
  [0x794c_7630, 'an overlay'],
]);

/** Whether the power supply of a Raspberry Pi is too weak; empty on other machines. */
export async function checkPower(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  try {
    return judgePower((await run('vcgencmd', ['get_throttled'], { env, timeout: 10_000 })).stdout);
  } catch {
    return [];
  }
}

/** Judges what `vcgencmd get_throttled` prints: bit 0 undervoltage now, bit 16 since the start of the machine. */
export function judgePower(text: string): Finding[] {
  const [, bits] = /throttled=(0x[\da-f]+)/i.exec(text) ?? [];
  if (bits === undefined) return [];
  const advice = 'use the power supply made for this Raspberry Pi, with a short cable';
  if (Number(bits) & 1) return [fail('power', 'undervoltage now', advice)];
  if (Number(bits) & 0x1_0000) return [warn('power', 'undervoltage since the start of the machine', advice)];
  return [ok('power', 'no undervoltage')];
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

const run = promisify(execFile);

/** The output of dpkg-query(1) for the package: its state, and whether the package must be installed again. */
const format = ['db:Status-Status', 'db:Status-Eflag'].map((field) => `\${${field}}`).join(' ');

/**
 * Whether an installation or upgrade was interrupted, by a power cut for example; empty when none was, and where the
 * agent is not installed as a package.
 */
export async function checkPackage(
  env: NodeJS.ProcessEnv,
  updates = '/var/lib/dpkg/updates',
): Promise<Finding[]> {
  if (!env['COUNTER_SERVICE']) return [];
  try {
    const { stdout } = await run('dpkg-query', ['-W', '-f', format, 'counter-agent'], {
      env,
      timeout: 10_000,
    });
    const pending = (await readdir(updates).catch(() => [])).some((name) => /^\d+$/.test(name));
    return judgePackage(stdout, pending);
  } catch {
    return [];
  }
}

/** Judges the state of the package; `pending`: dpkg has changes that it has not completed. */
export function judgePackage(state: string, pending: boolean): Finding[] {
  const [status = '', flag = ''] = state.split(' ');
  const configure = '`sudo dpkg --configure -a`';
  const again = `${configure}, then \`sudo apt install ./counter-agent_*.deb\` with the same package`;
  const interrupted = (detail: string, advice: string) => [
    warn('package', `${detail}: the unit counts with the version that was complete`, advice),
  ];
  if (status === 'half-installed' || flag === 'reinstreq')
    return interrupted('an installation was interrupted', again);
  if (status !== 'installed') return interrupted(`an installation was interrupted (${status})`, configure);
  return pending ? [warn('package', 'dpkg was interrupted: nothing can be installed', configure)] : [];
}

/** How the last ordered update has ended; empty before the first. */
export function checkUpdate(env: NodeJS.ProcessEnv): Finding[] {
  const { update } = updateReport(env);
  if (!update) return [];
  if (update.result === 'installed') return [ok('update', updateText(update))];
  return [warn('update', updateText(update), 'the previous version counts; tell the operator')];
}

/** Whether the service of this file runs and starts with the machine, as systemd reports it; empty when there is no service. */
export async function checkService(config: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const service = await serviceOf(config, env);
  const state = service && (await serviceState(service, env));
  return state ? [judgeService(service, state), ...judgeEnabled(service, state)] : [];
}

/** Judges the state of a service. */
export function judgeService(service: string, state: ServiceState): Finding {
  const { ActiveState, SubState, Result, NRestarts } = state;
  const restarts = NRestarts === '0' ? '' : `, restarted ${NRestarts} times`;
  const why = `\`${logCommand(service)}\` shows why`;
  const start = `\`sudo systemctl restart ${service}\``;
  if (ActiveState === 'active') return ok('service', `${service} runs${restarts}`);
  if (ActiveState === 'failed' || SubState === 'auto-restart') {
    return fail('service', `${service} fails (${Result})${restarts}`, `${why}; then ${start}`);
  }
  if (ActiveState === 'inactive') return fail('service', `${service} is stopped`, start);
  return fail('service', `${service} is not up yet (${SubState})${restarts}`, `wait a moment; ${why}`);
}

/** A service that runs now but does not start with the machine stops counting at the next power cut. */
function judgeEnabled(service: string, { UnitFileState }: ServiceState): Finding[] {
  if (UnitFileState === 'enabled') return [];
  const detail = `${service} is ${UnitFileState || 'not enabled'}: after the next start of the machine nothing is counted`;
  const unmask = UnitFileState?.startsWith('masked') ? `sudo systemctl unmask ${service} && ` : '';
  return [fail('start at boot', detail, `\`${unmask}sudo systemctl enable --now ${service}\``)];
}
