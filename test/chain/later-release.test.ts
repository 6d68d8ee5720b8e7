import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { applyMigrations } from '@visitor-counter/database/migrations/migrate';
import { migrations } from '@visitor-counter/database/migrations/schema-state';
import { connect } from '@visitor-counter/database/sql/connect';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import { runAdmin } from '@visitor-counter/test/admin';
import { oneDoor } from '@visitor-counter/test/one-door';
import { programArgs } from '@visitor-counter/test/service-process';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, onTestFinished, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

/** Applies one more migration, as a later release does. */
async function migrateLater(url: string) {
  const database = connect(url, { applicationName: 'test migrate', maxConnections: 2 });
  const up = (db: Db) => db.schema.createTable('note').addColumn('id', 'integer').execute();
  await applyMigrations(database, [...migrations, { name: '29990101T0000-note', up }]);
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
  child.stdout?.resume();
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = once(child, 'close').then(([code]) => ({ code, errors }));
  const first = await Promise.race([once(child, 'message'), ended]);
  return { first, ended };
}

const refusal = new RegExp(
  `^the database is "test_\\w+ at 127\\.0\\.0\\.1:\\d+": expected a schema of release ${manifest.version}, .* has 29990101T0000-note, .* Install the release .*\n$`,
);

test('programs end with what to do when another release changes the schema, and do not start again', async () => {
  const { url, rows } = await oneDoor();
  const env = { DATABASE_URL: url };
  const { first, ended } = await serve(env);
  const [{ ready }] = Object(first);
  const unit = await connectUnit({ port: ready.mqttPort, serial: 'CU-1' });
  await unit.crossings('j', 1, [[Date.now() - 2_000, 1]]);

  await migrateLater(url);
  const { code, errors } = await ended;
  expect(errors).toMatch(refusal);
  expect(code).toBe(2);
  await expect(runAdmin(['device', 'list'], env)).rejects.toThrow(
    /\(2\): the database is .* expected a schema of release /,
  );
  const stored = await rows.query('select sequence::integer from crossing order by 1');
  expect(stored).toEqual([{ sequence: 1 }]);
});
