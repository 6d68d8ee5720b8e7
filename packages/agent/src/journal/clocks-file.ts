import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { SettledBoot } from '../clock/settle-boots.ts';
import type { FileSystem } from './file-system.ts';
import { writeDurably } from './segment.ts';

const Clocks = Type.Object({
  checksum: Type.Integer(),
  boots: Type.Array(
    Type.Object({ boot: Type.String(), offset: Type.Number(), uncertainty: Type.Integer({ minimum: 0 }) }),
  ),
});

const clocks = Compile(Clocks);

/** Two files, since nothing else knows at what instants these crossings were sent. */
const fileNames = ['clocks.json', 'clocks.copy.json'];

/** When boots began whose crossings were journaled before anybody knew. Rejects where the disk can read neither file. */
export async function readClocks(files: FileSystem, directory: string): Promise<readonly SettledBoot[]> {
  const problems: unknown[] = [];
  for (const name of fileNames) {
    try {
      const found = parse((await files.read(join(directory, name)))?.toString() ?? '');
      if (found) return found;
    } catch (error) {
      problems.push(error);
    }
  }
  if (problems.length === fileNames.length) throw problems[0];
  return [];
}

export async function writeClocks(
  files: FileSystem,
  directory: string,
  boots: readonly SettledBoot[],
): Promise<void> {
  const content = Buffer.from(JSON.stringify({ checksum: checksumOf(boots), boots }));
  for (const name of fileNames) await writeDurably(files, directory, join(directory, name), content);
}

function parse(text: string): readonly SettledBoot[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return clocks.Check(value) && value.checksum === checksumOf(value.boots) ? value.boots : undefined;
  } catch {
    return undefined;
  }
}

function checksumOf(boots: readonly SettledBoot[]): number {
  return crc32(boots.map(({ boot, offset, uncertainty }) => `${boot} ${offset} ${uncertainty}\n`).join(''));
}
