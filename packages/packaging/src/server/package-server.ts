import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { TreeFile } from '../deb/build-deb.ts';
import { filesBelow } from '../program/files-below.ts';
import { asInstalled, compressed } from '../program/program-tree.ts';
import { type BuiltPackage, type PackageOptions, safeNode, writePackage } from '../program/write-package.ts';
import { bundleServer } from './bundle-server.ts';

const serverPackage = {
  name: 'visitor-counter',
  programs: ['server', 'admin', 'dashboard'],
  bundle: bundleServer,
  nodeOptions: safeNode,
  others,
} as const;

/** Builds the server's package. The same commit gives the same bytes. */
export async function packageServer(options: PackageOptions): Promise<BuiltPackage> {
  return writePackage(serverPackage, options);
}

const monitoring = fileURLToPath(new URL('../../../server/monitoring', import.meta.url));
const configuration = new URL('../../../../docs/configuration.md', import.meta.url);

/** The rules and the dashboard of the runbook, and the list of all settings. */
async function others(): Promise<TreeFile[]> {
  const rules = (await filesBelow(monitoring)).map(({ path, content }) => {
    return {
      path: `/usr/share/visitor-counter/monitoring${path}`,
      content: asInstalled(content.toString()),
    };
  });
  const settings = asInstalled(await readFile(configuration, 'utf8'));
  return [...rules, compressed('/usr/share/doc/visitor-counter/configuration.md', settings)];
}
