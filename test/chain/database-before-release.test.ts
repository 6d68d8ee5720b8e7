import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startEmbeddedServer } from '@visitor-counter/database/embedded/server';
import { createDatabase, dropDatabase, withClient } from '@visitor-counter/database/sql/open-client';
import { programArgs } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, inject, onTestFinished, test } from 'vitest';

/** Makes a new database look like one of a version from before the first release. */
async function makeOldDatabase(server: string, name: string): Promise<string> {
  await createDatabase(server, name);
  const url = server.replace(/[^/]*$/, name);
  await withClient(url, (client) =>
    client.query(`
      create table kysely_migration (name varchar(255) primary key, "timestamp" varchar(255) not null);
      insert into kysely_migration values ('20261121T0300-first-schema', now()), ('20261121T0430-occupancy', now());
      create table company (id integer primary key)`),
  );
  return url;
}

async function run(program: 'gateway' | 'admin' | 'demo', env: Record<string, string>) {
  const args = program === 'admin' ? ['device', 'list'] : [];
  const ports = { MQTT_PORT: '0', HTTP_PORT: '0', METRICS_PORT: '0' };
  const child = spawn(process.execPath, [...programArgs(program), ...args], {
    env: { ...process.env, ...ports, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [errors] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, errors };
}

const refused = (database: string) =>
  new RegExp(
    `^the database is "${database} at 127\\.0\\.0\\.1:\\d+": .*before the first release.*\\.data.*DATABASE_URL.*\n$`,
  );

test.each(['gateway', 'admin'] as const)(
  'the %s refuses a database from before the first release in one line, and changes nothing',
  async (program) => {
    const server = inject('databaseServer');
    const name = `test_before_release_${program}`;
    const url = await makeOldDatabase(server, name);
    onTestFinished(() => dropDatabase(server, name));

    const { code, errors } = await run(program, { DATABASE_URL: url });

    expect(errors).toMatch(refused(name));
    expect(code).toBe(2);
    const tables = `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`;
    const { rows } = await withClient(url, (client) => client.query(tables));
    expect(rows).toEqual([{ relname: 'company' }, { relname: 'kysely_migration' }]);
  },
);

test('npx pnpm start refuses a data folder from before the first release in one line', async () => {
  const dataFolder = await temporaryFolder();
  const server = await startEmbeddedServer({ folder: join(dataFolder, 'postgres') });
  await makeOldDatabase(server.url('postgres'), 'visitor_counter').finally(() => server.stop());

  const { code, errors } = await run('demo', { DATA_DIR: dataFolder, DATABASE_URL: '' });

  expect(errors).toMatch(refused('visitor_counter'));
  expect(code).toBe(2);
});
