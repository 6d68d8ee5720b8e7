import { readFile } from 'node:fs/promises';
import type { Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import { cpuTemperatureRange } from '@visitor-counter/wire/limits';
import { diskFree, diskSize } from './disk-free.ts';

/** The state of the machine, as in a heartbeat. */
export type MachineState = Pick<Heartbeat, 'cpuTemperature' | 'diskFree' | 'diskSize'>;

/** The first sensor of the kernel, on a Raspberry Pi the processor's, in thousandths of °C. */
const sensor = '/sys/class/thermal/thermal_zone0/temp';

/** Reads the state of the machine and of the disk with the folder; omits values that cannot be read. */
export async function readMachine(folder: string, temperatureFile = sensor): Promise<MachineState> {
  const [temperature, free, size] = await Promise.allSettled([
    temperatureIn(temperatureFile),
    diskFree(folder),
    diskSize(folder),
  ]);
  return {
    ...(temperature.status === 'fulfilled' && { cpuTemperature: temperature.value }),
    ...(free.status === 'fulfilled' && { diskFree: free.value }),
    ...(size.status === 'fulfilled' && { diskSize: size.value }),
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
