import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Release, thisRelease } from '@visitor-counter/test/release';

const run = promisify(execFile);

/**
 * The version of the release before this one: that of the second section of a changelog. The first section is of the
 * release that is being made. Undefined if nothing was released before.
 */
export function previousVersion(changelog: string): string | undefined {
  const sections = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm)];
  return sections[1]?.[1];
}

/**
 * The release before this one, from its tag in git, with its dependencies, in a new folder. Before the second release it
 * is this checkout.
 */
export async function previousRelease(folder: string): Promise<Release> {
  const version = previousVersion(await readFile(join(thisRelease.folder, 'CHANGELOG.md'), 'utf8'));
  if (version === undefined) return thisRelease;
  await mkdir(folder);
  const [tag, archive] = [`v${version}`, `${folder}.tar`];
  await run('git', ['-C', thisRelease.folder, 'archive', '--output', archive, tag]).catch((error: Error) => {
    throw new Error(`${tag} is not in this clone (git fetch --tags): ${error.message}`);
  });
  await run('tar', ['-xf', archive, '-C', folder]);
  await run('npx', ['pnpm', 'install', '--frozen-lockfile', '--prefer-offline'], { cwd: folder });
  return { version, folder };
}
