import { cp, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Release, thisRelease } from '@visitor-counter/test/release';

/** The release after this one, as a copy of this checkout in a new folder. Its crossings have a column that this one cannot fill. */
export async function nextRelease(folder: string): Promise<Release> {
  const [major = 0, minor = 0] = thisRelease.version.split('.').map(Number);
  const version = `${major}.${minor + 1}.0`;
  await copyCheckout(folder);
  await setVersion(join(folder, 'package.json'), version);
  const database = join(folder, 'packages/database/src');
  await rename(join(database, 'migrations/migrations.ts'), join(database, 'migrations/own-migrations.ts'));
  await writeFile(join(database, 'migrations/migrations.ts'), migrationsWithNext);
  const storing = join(database, 'ingest/store-rows.ts');
  const text = (await readFile(storing, 'utf8'))
    .replace('direction, transaction)', 'direction, transaction, stored_by)')
    .replace('(select current_transaction())', "(select current_transaction()), 'next'");
  await writeFile(storing, text);
  return { version, folder };
}

const migrationsWithNext = `
import { migrations as own, type SchemaMigration } from './own-migrations.ts';
export type { SchemaMigration };
const parts = [
  "alter table crossing add column stored_by text not null default 'previous'",
  'alter table crossing alter column stored_by drop default',
];
export const migrations = [...own, { name: '29990101T0000-next', parts: async () => parts }];
`;

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
