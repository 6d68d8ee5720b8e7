import { readFile } from 'node:fs/promises';

/** The serial number of a Raspberry Pi, as its firmware reports it; undefined on other machines. */
export async function unitSerial(root = '/proc'): Promise<string | undefined> {
  const tree = await read(`${root}/device-tree/serial-number`);
  const found = tree.replaceAll('\0', '').trim() || cpuSerial(await read(`${root}/cpuinfo`));
  return found || undefined;
}

function cpuSerial(cpuinfo: string): string | undefined {
  return /^Serial\s*:\s*([0-9a-f]+)\s*$/m.exec(cpuinfo)?.[1];
}

async function read(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch(() => '');
}
