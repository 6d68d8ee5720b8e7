import { chmod, chown, copyFile, lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withClient } from '@visitor-counter/database/sql/open-client';
import { codeOf } from '@visitor-counter/service/errors';

/** Left out of a base backup: the server creates these again. */
const leftOut = new Set(['pg_wal', 'pg_stat_tmp', 'pg_replslot', 'pg_notify', 'pg_serial', 'pg_snapshots']);
const leftOutFiles = new Set(['postmaster.pid', 'postmaster.opts']);

/** A physical base backup of a running server, as PostgreSQL's manual describes it. Rejects when the server ends. */
export async function copyCluster(serverUrl: string, from: string, to: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    /* If the server has ended, the next statement fails. */
    client.on('error', () => {});
    await client.query(`select pg_backup_start('copy', true)`);
    await copyFolder(from, to, true);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await copyFolder(join(from, 'pg_wal'), join(to, 'pg_wal'), false);
    await writeAs(from, join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  });
}

/** Makes every start of the server on this folder that of a standby. */
export async function standBy(folder: string): Promise<void> {
  await writeAs(folder, join(folder, 'standby.signal'), '');
}

async function copyFolder(from: string, to: string, isRoot: boolean): Promise<void> {
  const { uid, gid } = await lstat(from);
  await mkdir(to, { mode: 0o700, recursive: true });
  await chown(to, uid, gid);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (isRoot && leftOutFiles.has(entry.name)) continue;
    try {
      if (isRoot && leftOut.has(entry.name)) await copyEmpty(source, target);
      else if (entry.isDirectory()) await copyFolder(source, target, false);
      else await copyOne(source, target);
    } catch (error) {
      /* A running server removes files; the write-ahead log covers those. */
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
}

async function copyEmpty(from: string, to: string): Promise<void> {
  const { uid, gid } = await lstat(from);
  await mkdir(to, { mode: 0o700 });
  await chown(to, uid, gid);
}

async function copyOne(from: string, to: string): Promise<void> {
  const { uid, gid, mode } = await lstat(from);
  await copyFile(from, to);
  await chown(to, uid, gid);
  await chmod(to, mode);
}

async function writeAs(like: string, file: string, text: string): Promise<void> {
  const { uid, gid } = await lstat(like);
  await writeFile(file, text, { mode: 0o600 });
  await chown(file, uid, gid);
}
