import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TreeFile } from '../deb/build-deb.ts';
import { bundle } from '../program/bundle.ts';
import { filesBelow } from '../program/files-below.ts';
import { asInstalled, copyright } from '../program/program-tree.ts';

/** Writes the programs of the server, the page and the licences to a folder, for the Dockerfile. */
export async function writeImageFiles(out: string): Promise<void> {
  const licences = { path: '/copyright', content: await copyright(['server', 'admin', 'dashboard']) };
  for (const { path, content } of [...(await bundleServer()), licences]) {
    await mkdir(dirname(join(out, path)), { recursive: true });
    await writeFile(join(out, path), content);
  }
}

/**
 * The server and the operator's command line, as two programs without dependencies in one folder, with everything that
 * they read there: `server.mjs`, `admin.mjs`, `page`.
 */
export async function bundleServer(): Promise<TreeFile[]> {
  const programs = (await bundlePrograms()).map(({ content, ...file }) => {
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
  const assets = await Promise.all(
    folders.map(async (folder) => {
      const others = folders.filter((other) => other.startsWith(`${folder}/`));
      const files = await filesBelow(folder);
      return files.filter(
        ({ path }) => isAsset(path) && !others.some((one) => `${folder}${path}`.startsWith(`${one}/`)),
      );
    }),
  );
  return assets.flat();
}

function isAsset(path: string): boolean {
  return /\.(sql|css|js|html)$/.test(path) && !path.includes('/_');
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
    return (await filesBelow(out)).map((file) => ({ ...file, path: `/page${file.path}` }));
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
