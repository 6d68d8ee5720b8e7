import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { applyMigrations } from '@visitor-counter/database/migrations/migrate';
import { migrations, type SchemaMigration } from '@visitor-counter/database/migrations/migrations';
import { connect } from '@visitor-counter/database/sql/connect';
import { runAdmin } from '@visitor-counter/test/admin';
import { thisRelease } from '@visitor-counter/test/release';
import { seed } from '@visitor-counter/test/seed';
import { programArgs } from '@visitor-counter/test/service-process';
import { testDatabase } from '@visitor-counter/test/test-database';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, onTestFinished, test } from 'vitest';

const expanding = {
  name: '29990101T0000-note',
  parts: async () => ['alter table crossing add column note text', 'create table note (id integer)'],
} satisfies SchemaMigration;

const contracting = {
  name: '29990201T0000-drop',
  parts: async () => ['drop table note'],
  servesFrom: '9.0.0',
} satisfies SchemaMigration;

/** Applies migrations as a later release does, which calls itself 9.1.0. */
async function migrateLater(url: string, later: readonly SchemaMigration[]) {
  const database = connect(url, { applicationName: 'test migrate', maxConnections: 2 });
  await applyMigrations(database, [...migrations, ...later]);
  await database.pool.query(`update installation set schema_release = '9.1.0'`);
  await database.close();
}

/** Starts all roles in a process of their own; `ended` is their exit code and what they wrote to standard error. */
async function serve(env: Record<string, string>) {
  const ports = { MQTT_PORT: '0', HTTP_PORT: '0', METRICS_PORT: '0' };
  const child = spawn(process.execPath, programArgs('serve'), {
    env: { ...process.env, ...ports, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { log: '', errors: '' };
  child.stdout?.on('data', (chunk) => {
    output.log += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output.errors += chunk;
  });
  const ended = once(child, 'close').then(([code]) => ({ code, ...output }));
  const first = await Promise.race([once(child, 'message'), ended]);
  return { first, ended, output };
}

const refusal = new RegExp(
  `^the database is "test_\\w+ at 127\\.0\\.0\\.1:\\d+": expected a schema that serves release ${thisRelease.version}, .*release 9\\.1\\.0 has changed it for programs from release 9\\.0\\.0 on\\. Upgrade this program to 9\\.1\\.0 \\(Debian: sudo apt update && sudo apt install visitor-counter; .*\\), or restore a backup .*\n$`,
);

test('programs serve while a later release expands the schema, and end with what to do when it contracts it', async () => {
  const url = await testDatabase();
  const env = { DATABASE_URL: url };
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  await rows.device({ companyId, storeId, serial: 'CU-0001' });
  const { first, ended, output } = await serve(env);
  const [{ ready }] = Object(first);
  const unit = await connectUnit({ port: ready.mqttPort, serial: 'CU-0001' });
  await unit.crossings('j', 1, [[Date.now() - 2_000, 1]]);

  await migrateLater(url, [expanding]);
  await unit.crossings('j', 2, [[Date.now() - 1_000, 1]]);
  expect(await runAdmin(['device', 'list'], env)).toContain('CU-0001');
  const continues = /"release":"9\.1\.0".*a later release has changed the schema; serving continues/;
  await expect.poll(() => output.log).toMatch(continues);

  await migrateLater(url, [expanding, contracting]);
  const { code, errors } = await ended;
  expect(errors).toMatch(refusal);
  expect(code).toBe(2);
  await expect(runAdmin(['device', 'list'], env)).rejects.toThrow(
    /\(2\): the database is .* serves release /,
  );
  const stored = await rows.query('select sequence::integer from crossing order by 1');
  expect(stored).toEqual([{ sequence: 1 }, { sequence: 2 }]);
});
