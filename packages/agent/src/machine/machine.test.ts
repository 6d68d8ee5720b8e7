import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { machineState } from './machine-state.ts';

async function folderWithSensor(text: string): Promise<{ folder: string; sensor: string }> {
  const folder = await temporaryFolder();
  const sensor = join(folder, 'temp');
  await writeFile(sensor, text);
  return { folder, sensor };
}

test('reports the size of the disk, how much of it is free, and the temperature of the processor in °C', async () => {
  const { folder, sensor } = await folderWithSensor('48312\n');

  const { cpuTemperature, diskFree = 0, diskSize } = machineState(folder, sensor);

  expect(cpuTemperature).toBe(48.312);
  expect(diskFree).toBeGreaterThan(0);
  expect(diskSize).toBeGreaterThan(diskFree);
});

test('omits values that cannot be read', async () => {
  const { folder } = await folderWithSensor('');
  const missing = join(folder, 'missing');

  expect(machineState(missing, missing)).toEqual({});
});
