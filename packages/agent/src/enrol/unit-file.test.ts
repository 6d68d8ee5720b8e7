import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { UnitFile, unitSerial } from './unit-file.ts';

async function fileOf(text: string | undefined) {
  const folder = await temporaryFolder();
  const path = join(folder, 'unit.yaml');
  if (text !== undefined) await writeFile(path, text);
  return { folder, path, read: async () => parse(await readFile(path, 'utf8')) };
}

const enrolled = { serial: 'CU-2', secret: 'made by the unit', server: 'mqtts://a:8883', ca: undefined };

test('completes the door with the serial, and preserves comments and all other keys', async () => {
  const text = 'ca: old.pem\ndoors:\n  - serial: CU-1 # front\n    secret: one\n  - serial: CU-2\n';
  const { path, read } = await fileOf(text);

  await (await UnitFile.open(path)).complete('CU-2', enrolled);

  expect(await readFile(path, 'utf8')).toContain('- serial: CU-1 # front\n');
  expect(await read()).toEqual({
    server: enrolled.server,
    doors: [
      { serial: 'CU-1', secret: 'one' },
      { serial: 'CU-2', secret: enrolled.secret },
    ],
  });
});

test('creates a missing file that only its owner can read, with the CA next to it', async () => {
  const { folder, path, read } = await fileOf(undefined);

  await (await UnitFile.open(path)).complete('CU-2', { ...enrolled, ca: 'PEM' });

  const { serial, secret, server } = enrolled;
  expect(await read()).toEqual({ serial, secret, server, ca: 'ca.pem' });
  expect((await readdir(folder)).sort()).toEqual(['ca.pem', 'unit.yaml']);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('refuses a serial of another unit, and a file that is no configuration', async () => {
  const one = await UnitFile.open((await fileOf('serial: CU-1\n')).path);
  expect(() => one.pathOf('CU-2')).toThrow(/^--serial is "CU-2": expected CU-1/);
  const two = await UnitFile.open((await fileOf('doors: [{ serial: A }, { serial: B }]')).path);
  expect(two.pathOf('B')).toEqual(['doors', 1]);
  expect(() => two.pathOf('C')).toThrow(/expected the serial of a door in .*: A, B$/);
  for (const text of ['- a', 'a: [', 'text']) {
    await expect(UnitFile.open((await fileOf(text)).path)).rejects.toThrow(/^--config is /);
  }
});

test('reads the serial of a Raspberry Pi from the device tree, or else from cpuinfo', async () => {
  const proc = await temporaryFolder();

  expect(await unitSerial(proc)).toBeUndefined();
  await writeFile(join(proc, 'cpuinfo'), 'processor\t: 0\nSerial\t\t: 00000000a1b2c3d4\nModel\t\t: Pi 3\n');
  expect(await unitSerial(proc)).toBe('00000000a1b2c3d4');
  await mkdir(join(proc, 'device-tree'));
  await writeFile(join(proc, 'device-tree/serial-number'), '10000000deadbeef\0');
  expect(await unitSerial(proc)).toBe('10000000deadbeef');
});
