import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { extract } from 'tar-stream';
import type { TreeFile } from '../deb/build-deb.ts';
import type { LicensedPackage } from '../dependencies/licence-of.ts';
import { type Architecture, pinnedFile } from '../program/runtimes.ts';

/** A Debian package whose files are in the image. */
export interface BasePackage {
  readonly name: string;
  readonly version: string;
  /** In the terms of SPDX. */
  readonly licence: string;
  /** Its folder in the pool of Debian. */
  readonly pool: string;
  readonly sha256: Readonly<Record<Architecture, string>>;
}

const gcc = { version: '14.2.0-19', licence: 'GPL-3.0-or-later WITH GCC-exception-3.1', pool: 'g/gcc-14' };

/** The libraries that Node loads, from Debian 13. gcc-14-base has the copyright file of the other packages of GCC. */
export const basePackages: readonly BasePackage[] = [
  {
    name: 'libc6',
    version: '2.41-12+deb13u5',
    licence: 'LGPL-2.1-or-later',
    pool: 'g/glibc',
    sha256: {
      amd64: 'b59b0625cd1a791375d40dab23a4d5d3d0641e3d0a773501becdc3725b7f99cf',
      arm64: '0966fc3da1a26cc57647c68b5736f791b6e7eb498173a7993f63b6c89b4ed4f5',
    },
  },
  {
    ...gcc,
    name: 'gcc-14-base',
    sha256: {
      amd64: '5b6825de4263824b78c4c51f6476414f3b4e89c2ab63e81dc8b9b5501e867cf6',
      arm64: '34ee90679b018c0e64234747a4c4c0ae6b7f63541115037465a8627c2dfbc594',
    },
  },
  {
    ...gcc,
    name: 'libgcc-s1',
    sha256: {
      amd64: '3c71917b490d1a17aed43196a2787a256ecf060526cdb20216a74bedc061b150',
      arm64: '1108bc87879833d6d9a145f22a4a15cddb34e065b4b5f4b97bee586adbac2851',
    },
  },
  {
    ...gcc,
    name: 'libstdc++6',
    sha256: {
      amd64: 'ab1fa05837aa7a92aae748fd07a18a35f7d18bb4a71c4724fe2bbf0e32089de0',
      arm64: '6669b0c52a2e7c6af9adfdabce3ff6e286065cdfbc7b85280862b5f799daebee',
    },
  },
];

/**
 * The first source has the packages of the present point release. The second one keeps all packages for ever, as they were
 * at this instant.
 */
const sources = [
  'https://deb.debian.org/debian',
  'https://snapshot.debian.org/archive/debian/20261127T000000Z',
];

const run = promisify(execFile);
const aptHelper = '/usr/lib/apt/apt-helper';

interface Base {
  readonly files: readonly TreeFile[];
  /** The packages and their copyright files. */
  readonly licences: readonly LicensedPackage[];
}

/**
 * The libraries of the base packages, their licences, and what programs expect of a system. Needs the programs apt-helper and
 * dpkg-deb of Debian. Throws for a package that is not the pinned one.
 */
export async function debianBase(architecture: Architecture): Promise<Base> {
  const files = [...systemFiles];
  const licences: LicensedPackage[] = [];
  for (const one of basePackages) {
    const deb = await fetchPackage(one, architecture);
    const own = await libraryFiles(deb);
    const { stdout: control } = await run('dpkg-deb', ['--field', deb]);
    /* Programs that look for known vulnerabilities find the packages of an image without dpkg here. */
    files.push(...own, { path: `/var/lib/dpkg/status.d/${one.name}`, content: control });
    const text = own.find(({ path }) => path.endsWith('/copyright'))?.content;
    licences.push({ ...one, text: text === undefined ? 'See gcc-14-base.' : String(text).trim() });
  }
  if (files.some(({ path }) => path.startsWith('/usr/lib64/')))
    files.push({ path: '/lib64', link: 'usr/lib64' });
  return { files, licences };
}

const systemFiles: readonly TreeFile[] = [
  { path: '/lib', link: 'usr/lib' },
  { path: '/tmp/', mode: 0o1777 },
  {
    path: '/etc/passwd',
    content:
      'root:x:0:0::/:/sbin/nologin\nvisitor-counter:x:1000:1000::/:/sbin/nologin\nnobody:x:65534:65534::/:/sbin/nologin\n',
  },
  { path: '/etc/group', content: 'root:x:0:\nvisitor-counter:x:1000:\nnogroup:x:65534:\n' },
  { path: '/etc/nsswitch.conf', content: 'passwd: files\ngroup: files\nhosts: files dns\n' },
  {
    path: '/etc/os-release',
    content: 'PRETTY_NAME="Visitor Counter on libraries of Debian 13"\nID=debian\nVERSION_ID="13"\n',
  },
];

/** The path of a package of Debian that has the pinned SHA-256. */
function fetchPackage(one: BasePackage, architecture: Architecture): Promise<string> {
  const file = `${one.name}_${one.version}_${architecture}.deb`;
  const expected = one.sha256[architecture];
  return pinnedFile({
    kept: join('debian-packages', file),
    expected,
    digestOf: (content) => createHash('sha256').update(content).digest('hex'),
    download: async (folder) => {
      await download(`pool/main/${one.pool}/${file}`, join(folder, file), expected);
      return join(folder, file);
    },
  });
}

/** By the ordinary client of Debian, which compares the checksum. */
async function download(path: string, to: string, sha256: string): Promise<void> {
  const failures: string[] = [];
  for (const source of sources) {
    const failure = await run(aptHelper, ['download-file', `${source}/${path}`, to, `SHA256:${sha256}`]).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (failure === undefined) return;
    failures.push(failure);
  }
  throw new Error(failures.join('\n'));
}

/** The shared libraries of a package and its copyright file. */
const needed = /^\/usr\/(lib(64)?\/([^/]+\/)?[^/]+\.so[.\d]*|share\/doc\/[^/]+(\/copyright)?)$/;

async function libraryFiles(deb: string): Promise<TreeFile[]> {
  const options = { encoding: 'buffer', maxBuffer: 2 ** 28 } as const;
  const { stdout } = await run('dpkg-deb', ['--fsys-tarfile', deb], options);
  const files: TreeFile[] = [];
  for await (const entry of Readable.from([stdout]).pipe(extract())) {
    const { name, type, linkname, mode = 0o644 } = entry.header;
    const path = name.replace(/^\./, '');
    const content = await buffer(entry);
    if (!needed.test(path)) continue;
    if (type === 'file') files.push({ path, content, mode });
    else if (type === 'symlink' && linkname) files.push({ path, link: linkname });
  }
  return files;
}
