import { randomUUID } from 'node:crypto';
import { readFile, statfs } from 'node:fs/promises';
import type { Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import { cpuTemperatureRange } from '@visitor-counter/wire/limits';
import manifest from '../../../../package.json' with { type: 'json' };

/** The state of the machine, as in a heartbeat. */
type MachineState = Pick<Heartbeat, 'cpuTemperature' | 'diskFree' | 'diskSize'>;

/** The first sensor of the kernel, on a Raspberry Pi the processor's, in thousandths of °C. */
const sensor = '/sys/class/thermal/thermal_zone0/temp';

/** Reads the state of the machine and of the disk with the folder; omits values that cannot be read. */
export async function readMachine(folder: string, temperatureFile = sensor): Promise<MachineState> {
  const [temperature, disk] = await Promise.allSettled([temperatureIn(temperatureFile), diskRoom(folder)]);
  return {
    ...(temperature.status === 'fulfilled' && { cpuTemperature: temperature.value }),
    ...(disk.status === 'fulfilled' && disk.value),
  };
}

async function temperatureIn(file: string): Promise<number> {
  const text = await readFile(file, 'utf8');
  const temperature = /^-?\d+\s*$/.test(text) ? Number(text) / 1_000 : Number.NaN;
  const { minimum, maximum } = cpuTemperatureRange;
  if (!(temperature >= minimum && temperature <= maximum))
    throw new Error(`${file}: no temperature: ${text}`);
  return temperature;
}

/** The disk, or partition, where the folder is: bytes that this user may still write, and all. */
export async function diskRoom(folder: string): Promise<{ diskFree: number; diskSize: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
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

/** How often the state of the machine is read (ms). */
const readEvery = 60_000;

/** The state of the machine when it was last read. */
export interface MachineWatch {
  readonly state: MachineState;
  close(): void;
}

/** Reads the state of the machine and of the disk with the folder periodically; it is empty before the first result. */
export function watchMachine(folder: string, read = readMachine): MachineWatch {
  let state: MachineState = {};
  const update = async () => {
    state = await read(folder);
  };
  void update();
  const timer = setInterval(() => void update(), readEvery).unref();
  return {
    get state() {
      return state;
    },
    close: () => clearInterval(timer),
  };
}
