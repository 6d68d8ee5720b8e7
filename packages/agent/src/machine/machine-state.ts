import { randomUUID } from 'node:crypto';
import { readFileSync, statfsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import { cpuTemperatureRange } from '@visitor-counter/wire/limits';
import manifest from '../../../../package.json' with { type: 'json' };

/** The state of the machine, as in a heartbeat. */
type MachineState = Pick<Heartbeat, 'cpuTemperature' | 'diskFree' | 'diskSize'>;

/** The first sensor of the kernel, on a Raspberry Pi the processor's, in thousandths of °C. */
const sensor = '/sys/class/thermal/thermal_zone0/temp';

/** The state of the machine and of the disk with the folder; omits values that cannot be read. */
export function machineState(folder: string, temperatureFile = sensor): MachineState {
  return { ...temperatureIn(temperatureFile), ...diskIn(folder) };
}

function temperatureIn(file: string): MachineState {
  try {
    const text = readFileSync(file, 'utf8');
    const temperature = /^-?\d+\s*$/.test(text) ? Number(text) / 1_000 : Number.NaN;
    const { minimum, maximum } = cpuTemperatureRange;
    return temperature >= minimum && temperature <= maximum ? { cpuTemperature: temperature } : {};
  } catch {
    return {};
  }
}

function diskIn(folder: string): MachineState {
  try {
    return diskRoom(folder);
  } catch {
    return {};
  }
}

/** The disk, or partition, where the folder is: bytes that this user may still write, and all. */
export function diskRoom(folder: string): { diskFree: number; diskSize: number } {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { diskFree: bavail * bsize, diskSize: blocks * bsize };
}

/** The kernel's name for the time since the machine started; CLOCK_MONOTONIC counts within it. */
export async function readBootId(): Promise<string> {
  try {
    return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  } catch {
    /* Without a boot id from the kernel, each process counts as a boot of its own. */
    return randomUUID();
  }
}

/** The agent's version, `x.y.z`. */
export const version: string = manifest.version;
