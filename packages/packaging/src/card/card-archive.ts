import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { tarArchive } from '../deb/build-deb.ts';
import { fileOf } from '../program/program-tree.ts';
import { bootFolder } from './boot-folder.ts';

interface CardArchiveOptions {
  /** The folder that the archive is written to. */
  readonly out: string;
  /** The path of the agent's package. */
  readonly deb: string;
  readonly version: string;
  /** The time of all files (epoch seconds). */
  readonly time: number;
}

/**
 * Writes the files for the boot partition of any unit as an archive: the installer fills in `counter/enrol.env`, and may
 * add a public key.
 */
export async function writeCardArchive({ out, deb, version, time }: CardArchiveOptions): Promise<void> {
  const name = `visitor-counter-card_${version}_arm64`;
  const unit = await fileOf('unit.yaml');
  const boot = bootFolder({ server: '', code: '', unit, deb: basename(deb), hasKeyFile: true });
  const files = Object.entries({ ...boot, 'counter/enrol.env': enrolment }).map(([path, content]) => {
    return { path: `/${name}/${path}`, content };
  });
  const content = await readFile(deb);
  const archive = await tarArchive([...files, { path: `/${name}/counter/${basename(deb)}`, content }], time);
  await writeFile(join(out, `${name}.tar.gz`), gzipSync(archive));
}

const enrolment = [
  '# Fill in both lines, as the operator has told you.',
  '# SERVER is an address such as https://counter.example, CODE has six groups of five characters.',
  'SERVER=',
  'CODE=',
  '',
].join('\n');
