import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readMachine, watchMachine } from './machine-state.ts';

async function folderWithSensor(text: string): Promise<{ folder: string; sensor: string }> {
  const folder = await temporaryFolder();
  const sensor = join(folder, 'temp');
  await writeFile(sensor, text);
  return { folder, sensor };
}

test('reports the size of the disk, how much of it is free, and the temperature of the processor in °C', async () => {
  const { folder, sensor } = await folderWithSensor('48312\n');

  const { cpuTemperature, diskFree = 0, diskSize } = await readMachine(folder, sensor);

  expect(cpuTemperature).toBe(48.312);
  expect(diskFree).toBeGreaterThan(0);
  expect(diskSize).toBeGreaterThan(diskFree);
});

test.each(['', '\n', 'warm\n', '48.3\n', '2147483647\n', '-273000\n'])(
  'leaves out a temperature of %j',
  async (text) => {
    const { folder, sensor } = await folderWithSensor(text);

    expect(await readMachine(folder, sensor)).toEqual({
      diskFree: expect.any(Number),
      diskSize: expect.any(Number),
    });
  },
);

test('omits values that cannot be read', async () => {
  const { folder } = await folderWithSensor('');
  const missing = join(folder, 'missing');

  expect(await readMachine(missing, missing)).toEqual({});
});

test('reads the state immediately, then every minute until it is closed', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let looks = 0;
  const machine = watchMachine('folder', async () => ({ diskFree: ++looks }));
  expect(machine.state).toEqual({});

  await vi.advanceTimersByTimeAsync(0);
  expect(machine.state).toEqual({ diskFree: 1 });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(machine.state).toEqual({ diskFree: 2 });

  machine.close();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(looks).toBe(2);
});
