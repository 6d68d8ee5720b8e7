import { execFile, spawn } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { migrate } from '@visitor-counter/database/migrations/migrate';
import { withClient } from '@visitor-counter/database/sql/open-client';
import { startEmbeddedDatabase } from '@visitor-counter/server/embedded-database';
import { resultOf } from '@visitor-counter/test/result-of';
import { startedOnce } from '@visitor-counter/test/started-once';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { adminOn } from '../../test/run-admin.ts';

/** The folder of an embedded PostgreSQL with one company, which does not run. */
const prepared = startedOnce(async (atEnd) => {
  const folder = await temporaryFolder(atEnd);
  const database = await startEmbeddedDatabase(folder, () => {});
  await migrate(database.url);
  await withClient(database.url, (client) =>
    client.query(`insert into company (name, name_key) values ('Before', 'before')`),
  );
  await database.stop();
  return folder;
});

/** A copy of it, and commands for it. */
async function stoppedDatabase() {
  const DATA_DIR = await temporaryFolder();
  await promisify(execFile)('cp', ['-a', `${prepared()}/.`, DATA_DIR]);
  const folder = join(DATA_DIR, 'backups');
  const run = adminOn('', { DATA_DIR });
  /** Runs statements while it is started, and returns the names of the companies afterwards, and the epoch. */
  const whileRunning = async (...statements: readonly string[]) => {
    const database = await startEmbeddedDatabase(DATA_DIR, () => {});
    try {
      return await withClient(database.url, async (client) => {
        for (const statement of statements) await client.query(statement);
        const { rows } = await client.query('select name from company order by id');
        const { rows: epochs } = await client.query('select current_epoch() as epoch');
        return { names: rows.map(({ name }) => name), epoch: epochs[0]?.epoch };
      });
    } finally {
      await database.stop();
    }
  };
  const backUp = async (...more: string[]) => {
    const { code, out, err } = await run(['backup', '--to', folder, '--json', ...more]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out);
  };
  return { DATA_DIR, folder, run, whileRunning, backUp };
}

const after = `insert into company (name, name_key) values ('After', 'after')`;

test('restores the embedded PostgreSQL to the state of a backup, as another epoch', async () => {
  const { run, whileRunning, backUp } = await stoppedDatabase();
  const { file, bytes } = await backUp();
  expect(bytes).toBe((await stat(file)).size);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const before = await whileRunning(after);
  expect(before.names).toEqual(['Before', 'After']);

  expect(await run(['restore', file])).toMatchObject({ code: 0, out: expect.stringMatching(/^restored/) });

  const { names, epoch } = await whileRunning();
  expect(names).toEqual(['Before']);
  expect(epoch).not.toBe(before.epoch);
});

test('refuses a damaged backup and changes nothing', async () => {
  const { run, whileRunning, backUp } = await stoppedDatabase();
  const { file } = await backUp();
  await whileRunning(after);
  await writeFile(file, 'x', { flag: 'a' });

  expect(await run(['restore', file])).toMatchObject({
    code: 1,
    err: expect.stringContaining('is damaged: its SHA-256 is not that of'),
  });

  expect((await whileRunning()).names).toEqual(['Before', 'After']);
});

test('refuses to copy or restore the embedded PostgreSQL while another process uses it', async () => {
  const { DATA_DIR, folder, run, backUp } = await stoppedDatabase();
  const { file } = await backUp();
  const claim = new URL('../../../database/src/embedded/claim.ts', import.meta.url);
  const script = `const { claimFolder } = await import(${JSON.stringify(claim.href)});
    await claimFolder(process.argv[1]); console.log('claimed'); setInterval(() => {}, 1000);`;
  const other = spawn(process.execPath, ['--input-type=module', '-e', script, join(DATA_DIR, 'postgres')]);
  const ended = resultOf(other);
  await new Promise((resolve) => other.stdout.once('data', resolve));
  const refused = { code: 1, err: expect.stringContaining('runs the embedded PostgreSQL: stop it first') };

  expect(await run(['backup', '--to', folder])).toMatchObject(refused);
  expect(await run(['restore', file])).toMatchObject(refused);

  other.kill();
  await ended;
  expect((await readdir(folder)).filter((name) => name.endsWith('.unfinished'))).toEqual([]);
});

test('keeps 14 backups, removes the oldest and those of a clock that was ahead, and no other file', async () => {
  const { folder, backUp } = await stoppedDatabase();
  await mkdir(folder);
  const name = (time: string) => `visitor-counter-${time}T000000000Z.tar`;
  const older = Array.from({ length: 14 }, (_, index) => name(String(20200101 + index)));
  for (const one of [...older, name('20990101'), 'visitor-counter-notes.tar'])
    await writeFile(join(folder, one), '');

  const { file, removed } = await backUp();

  expect(removed).toEqual([older[0], name('20990101')].map((one) => join(folder, String(one))));
  const kept = (await readdir(folder)).map((one) => join(folder, one));
  expect(kept.sort()).toEqual(
    [...older.slice(1), 'visitor-counter-notes.tar']
      .map((one) => join(folder, one))
      .concat(file, `${file}.sha256`)
      .sort(),
  );
  expect((await readFile(`${file}.sha256`, 'utf8')).trim()).toMatch(
    /^[0-9a-f]{64} {2}visitor-counter-\w+\.tar$/,
  );
});
