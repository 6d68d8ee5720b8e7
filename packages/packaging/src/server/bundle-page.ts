import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TreeFile } from '../deb/build-deb.ts';
import { type LicensedPackage, licenceOf } from '../licences/licence-of.ts';

const run = promisify(execFile);
const dashboard = fileURLToPath(new URL('../../../dashboard', import.meta.url));

/** The page for stores in the folder `/page`, and the third-party packages in it. Throws UnknownLicence. */
export async function bundlePage(): Promise<{
  readonly files: TreeFile[];
  readonly packages: readonly LicensedPackage[];
}> {
  const out = await mkdtemp(join(tmpdir(), 'page-'));
  try {
    await run(process.execPath, [join(dashboard, 'build.ts'), '--out', out]);
    return { files: await filesBelow(out), packages: await packagesOf(dashboard) };
  } finally {
    await rm(out, { recursive: true });
  }
}

async function filesBelow(folder: string): Promise<TreeFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const files = paths.map(async (path) => {
    return { path: `/page/${relative(folder, path)}`, content: await readFile(path) };
  });
  return Promise.all(files);
}

/** What builds the page and is not in it. */
const builder = 'vite';

/** The packages that a package depends on, directly or not, except the builder. */
async function packagesOf(folder: string): Promise<LicensedPackage[]> {
  const manifest: { dependencies?: Record<string, string> } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const names = Object.keys(manifest.dependencies ?? {}).filter((name) => name !== builder);
  const found = names.map(async (name) => {
    const dependency = await dependencyFolder(folder, name);
    return [await licenceOf(dependency), ...(await packagesOf(dependency))];
  });
  return (await Promise.all(found)).flat();
}

/** Its own `node_modules` for a package of this repository; pnpm puts those of other packages next to them. */
async function dependencyFolder(folder: string, name: string): Promise<string> {
  const own = join(folder, 'node_modules', name);
  const [store = ''] = /^.*\/node_modules(?=\/)/.exec(folder) ?? [];
  return realpath(own).catch(() => realpath(join(store, name)));
}
