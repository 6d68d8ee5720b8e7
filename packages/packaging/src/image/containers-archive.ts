import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { tarArchive } from '../deb/build-deb.ts';

const root = new URL('../../../../', import.meta.url);
const folder = 'packages/packaging/containers/';
const sources = [
  'docker-compose.yml',
  `${folder}Caddyfile`,
  `${folder}certificates-from-files.yml`,
  `${folder}make-secrets.sh`,
  'LICENSE',
];

interface ContainersArchiveOptions {
  /** The folder that the archive is written to. */
  readonly out: string;
  readonly version: string;
  /** The time of all files (epoch seconds). */
  readonly time: number;
}

/** Writes what an operator needs in addition to the image: the file for Compose, and those that it names, in one folder. */
export async function writeContainersArchive({
  out,
  version,
  time,
}: ContainersArchiveOptions): Promise<void> {
  const files = sources.map(async (source) => {
    const text = await readFile(new URL(source, root), 'utf8');
    return { path: `/visitor-counter/${basename(source)}`, content: text.replaceAll(folder, '') };
  });
  const archive = await tarArchive(await Promise.all(files), time);
  await writeFile(join(out, `visitor-counter-containers_${version}.tar.gz`), gzipSync(archive));
}
