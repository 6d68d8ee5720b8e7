import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TreeFile } from '../deb/build-deb.ts';
import { bundle } from '../program/bundle.ts';
import { asInstalled } from '../program/program-tree.ts';

/**
 * The server and the operator's command line, as two programs without dependencies in one folder, with everything that
 * they read there: `server.mjs`, `admin.mjs`, `page`.
 */
export async function bundleServer(): Promise<TreeFile[]> {
  const programs = (await bundlePrograms()).map(({ content = '', ...file }) => {
    return { ...file, content: file.path.endsWith('.mjs') ? asInstalled(String(content)) : content };
  });
  return refuseTwice([...programs, ...(await bundlePage())]);
}

/** The same without the page for stores. */
export async function bundlePrograms(options: { readonly minify?: boolean } = {}): Promise<TreeFile[]> {
  const input = {
    server: fileURLToPath(import.meta.resolve('@visitor-counter/server/main')),
    admin: fileURLToPath(import.meta.resolve('@visitor-counter/admin/main')),
  };
  const { files, modules } = await bundle(input, options);
  return [...files, ...(await assetsOf(modules)), ...(await referenceRenderer(modules))];
}

/**
 * The files that modules of the bundle read from their own folder, or a folder in it, such as the SQL of a migration. All
 * modules of a bundle are in one folder, and so are these files.
 */
async function assetsOf(modules: readonly string[]): Promise<TreeFile[]> {
  const own = modules.filter((module) => module.endsWith('.ts') && !module.includes('/node_modules/'));
  const folders = [...new Set(own.map((module) => dirname(module)))].sort();
  const files = await Promise.all(folders.map((folder) => assetsBelow(folder, folder, new Set(folders))));
  return files.flat();
}

async function assetsBelow(root: string, folder: string, others: ReadonlySet<string>): Promise<TreeFile[]> {
  const found: TreeFile[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !others.has(path) && !entry.name.startsWith('_')) {
      found.push(...(await assetsBelow(root, path, others)));
    } else if (entry.isFile() && /\.(sql|css|js|html)$/.test(entry.name)) {
      found.push({ path: `/${relative(root, path)}`, content: await readFile(path) });
    }
  }
  return found;
}

/** The files of the reference page's renderer, which the api finds as a module. */
async function referenceRenderer(modules: readonly string[]): Promise<TreeFile[]> {
  const [user] = modules.filter((module) => module.endsWith('/openapi/reference.ts'));
  if (user === undefined) throw new Error('the bundle has no reference page');
  const folder = dirname(createRequire(user).resolve('swagger-ui-dist/package.json'));
  const names = ['package.json', 'swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png'];
  const files = names.map(async (name) => {
    return { path: `/node_modules/swagger-ui-dist/${name}`, content: await readFile(join(folder, name)) };
  });
  return Promise.all(files);
}

const dashboard = fileURLToPath(new URL('../../../dashboard', import.meta.url));

/** The page for stores, in the folder `/page`. */
async function bundlePage(): Promise<TreeFile[]> {
  const out = await mkdtemp(join(tmpdir(), 'page-'));
  try {
    await promisify(execFile)(process.execPath, [join(dashboard, 'build.ts'), '--out', out]);
    const entries = await readdir(out, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    const files = paths.map(async (path) => {
      return { path: `/page/${relative(out, path)}`, content: await readFile(path) };
    });
    return await Promise.all(files);
  } finally {
    await rm(out, { recursive: true });
  }
}

function refuseTwice(files: TreeFile[]): TreeFile[] {
  const paths = files.map(({ path }) => path);
  const [twice] = paths.filter((path, index) => paths.indexOf(path) !== index);
  if (twice === undefined) return files;
  throw new Error(`two files of the server have the name ${twice} in its bundle`);
}
