import { cp, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { SchemaMigration } from '@visitor-counter/database/migrations/migrations';
import { type Release, thisRelease } from '@visitor-counter/test/release';

/** A migration of a release that does not exist yet. */
interface Invented extends Omit<SchemaMigration, 'parts'> {
  readonly parts: readonly string[];
}

/**
 * The two releases after this one, as copies of this checkout in new folders. The next one expands the schema: it calls a
 * function by another name, and fills a new column when it stores crossings. The one after it drops the function that this
 * release calls.
 */
export async function nextReleases(
  folder: string,
): Promise<{ readonly next: Release; readonly later: Release }> {
  const [major = 0, minor = 0] = thisRelease.version.split('.').map(Number);
  const [nextVersion, laterVersion] = [`${major}.${minor + 1}.0`, `${major}.${minor + 2}.0`];
  const expanding = await expandingMigrations();
  const contracting: Invented = {
    name: '29990201T0000-drop-horizon',
    parts: ['drop function horizon'],
    servesFrom: nextVersion,
  };
  return {
    next: await invent(join(folder, 'next'), nextVersion, expanding),
    later: await invent(join(folder, 'later'), laterVersion, [...expanding, contracting]),
  };
}

async function expandingMigrations(): Promise<readonly Invented[]> {
  const migrations = join(thisRelease.folder, 'packages/database/src/migrations');
  const sql = await readFile(join(migrations, '20261129T0000-first-schema/companies.sql'), 'utf8');
  const [horizon] = /create function horizon\([\s\S]*?\n\$\$;/.exec(sql) ?? [];
  if (horizon === undefined) throw new Error('there is no function horizon');
  return [
    {
      name: '29990101T0000-stored-by',
      parts: [
        'alter table crossing add column stored_by text',
        'create table next_release (id integer primary key, note text not null)',
        horizon.replace('horizon(', 'horizon_next('),
      ],
    },
    {
      name: '29990101T0001-stored-by-index',
      parts: ['create index crossing_stored_by on crossing (stored_by)'],
    },
  ];
}

async function invent(folder: string, version: string, added: readonly Invented[]): Promise<Release> {
  await copyCheckout(folder);
  await setVersion(join(folder, 'package.json'), version);
  const database = join(folder, 'packages/database/src');
  await rename(join(database, 'migrations/migrations.ts'), join(database, 'migrations/own-migrations.ts'));
  await writeFile(join(database, 'migrations/migrations.ts'), listOf(added));
  const storing = join(database, 'ingest/store-rows.ts');
  const text = (await readFile(storing, 'utf8'))
    .replace('direction, transaction)', 'direction, transaction, stored_by)')
    .replace('(select current_transaction())', "(select current_transaction()), 'next'");
  if (!text.includes('stored_by') || !text.includes("'next'"))
    throw new Error('store-rows.ts is not as expected');
  await writeFile(storing, text);
  for (const file of await readdir(database, { recursive: true })) {
    if (!file.endsWith('.ts')) continue;
    const path = join(database, file);
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll('horizon(', 'horizon_next('));
  }
  return { version, folder };
}

/** Copies the sources; dependencies are those of this checkout. */
async function copyCheckout(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const from = thisRelease.folder;
  const filter = (path: string) => !['dist', '.cache', '.vite', '.bin'].includes(basename(path));
  for (const name of ['packages', 'test', 'package.json', 'tsconfig.json'])
    await cp(join(from, name), join(folder, name), { recursive: true, verbatimSymlinks: true, filter });
  await symlink(join(from, 'node_modules'), join(folder, 'node_modules'));
}

async function setVersion(file: string, version: string): Promise<void> {
  const manifest: object = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...manifest, version }));
}

function listOf(added: readonly Invented[]): string {
  const list = added.map(
    ({ parts, ...migration }) =>
      `{ ...${JSON.stringify(migration)}, parts: async () => ${JSON.stringify(parts)} }`,
  );
  return `import { migrations as own } from './own-migrations.ts';
export const migrations = [...own, ${list.join(', ')}];
export const migrationNames = migrations.map(({ name }) => name);
`;
}
