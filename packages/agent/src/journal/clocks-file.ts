import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { SettledBoot } from '../clock/settle-boots.ts';
import type { FileSystem } from './file-system.ts';
import type { Retries } from './retries.ts';
import { parsedJson, readSmallFile, writeDurably } from './small-file.ts';

const Clocks = Type.Object({
  checksum: Type.Integer(),
  boots: Type.Array(
    Type.Object({ boot: Type.String(), offset: Type.Number(), uncertainty: Type.Integer({ minimum: 0 }) }),
  ),
});

const clocks = Compile(Clocks);

/** Two copies, since the instants of these crossings are not stored anywhere else. */
const fileNames = ['clocks.json', 'clocks.copy.json'];

/**
 * Reads when boots began, for boots whose crossings were journaled before that was known. Returns the error
 * if neither file is valid and the disk cannot read one of them.
 */
export async function readClocks(
  files: FileSystem,
  directory: string,
  retries: Retries,
): Promise<readonly SettledBoot[] | { readonly unreadable: unknown }> {
  let unreadable: { readonly unreadable: unknown } | undefined;
  for (const name of fileNames) {
    const file = await readSmallFile(files, join(directory, name), parse, retries);
    if ('value' in file) return file.value;
    if (file.problem === 'unreadable') unreadable ??= { unreadable: file.cause };
  }
  return unreadable ?? [];
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
  const value = parsedJson(text, (parsed) => clocks.Check(parsed));
  return value && value.checksum === checksumOf(value.boots) ? value.boots : undefined;
}

function checksumOf(boots: readonly SettledBoot[]): number {
  return crc32(boots.map(({ boot, offset, uncertainty }) => `${boot} ${offset} ${uncertainty}\n`).join(''));
}
