import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { unitSerial } from './unit-serial.ts';

test('reads the serial of a Raspberry Pi from the device tree, or else from cpuinfo', async () => {
  const proc = await mkdtemp(join(tmpdir(), 'visitor-counter-proc-'));
  onTestFinished(() => rm(proc, { recursive: true }));

  expect(await unitSerial(proc)).toBeUndefined();
  await writeFile(join(proc, 'cpuinfo'), 'processor\t: 0\nSerial\t\t: 00000000a1b2c3d4\nModel\t\t: Pi 3\n');
  expect(await unitSerial(proc)).toBe('00000000a1b2c3d4');
  await mkdir(join(proc, 'device-tree'));
  await writeFile(join(proc, 'device-tree/serial-number'), '10000000deadbeef\0');
  expect(await unitSerial(proc)).toBe('10000000deadbeef');
});
