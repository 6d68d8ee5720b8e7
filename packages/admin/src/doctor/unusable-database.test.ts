import { chown, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EmbeddedServer, startEmbeddedServer } from '@visitor-counter/database/embedded/server';
import { createDatabase, withClient } from '@visitor-counter/database/sql/open-client';
import { createAuthority, createCertificate } from '@visitor-counter/test/certificates';
import { freeServerPorts } from '@visitor-counter/test/free-ports';
import { startService } from '@visitor-counter/test/service-process';
import { startedOnce } from '@visitor-counter/test/started-once';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { adminOn } from '../../test/run-admin.ts';

/** A server with TLS, as a provider has it: its certificate is signed by a CA of its own, and is for `localhost`. */
const provider = startedOnce(async (atEnd) => {
  const folder = await temporaryFolder(atEnd);
  const server = await startEmbeddedServer({ folder });
  atEnd(() => server.stop());
  const ca = await createAuthority('Provider');
  const { cert, key } = await createCertificate(ca, 'db.example', ['db.example']);
  const file = async (name: string, content: string) => {
    const path = join(folder, 'data', name);
    await writeFile(path, content, { mode: 0o600 });
    const { uid, gid } = await stat(join(folder, 'data'));
    await chown(path, uid, gid);
    return path;
  };
  await file('server.crt', cert);
  await file('server.key', key);
  await sql(server, 'alter system set ssl = on', 'select pg_reload_conf()');
  await sql(
    server,
    `create role reader login password 'of-all-rows-7'`,
    'alter role reader set default_transaction_read_only = on',
  );
  await createDatabase(server.url('postgres'), 'shop');
  return { server, url: server.url('shop'), ca: await file('ca.pem', ca.cert) };
});

async function sql(server: EmbeddedServer, ...statements: string[]): Promise<void> {
  await withClient(server.url('postgres'), async (client) => {
    for (const statement of statements) await client.query(statement);
  });
}

/** How the api ends, and what the doctor says of the database. */
async function startAndExamine(DATABASE_URL: string) {
  const env = { DATABASE_URL, HTTP_PORT: '0', METRICS_PORT: '0' };
  const started = await startService('api', [], env).catch((error: Error) => error);
  if (!(started instanceof Error)) onTestFinished(async () => void (await started.stop()));
  const run = adminOn(DATABASE_URL, await freeServerPorts());
  const { out } = await run(['doctor', '--json']);
  const findings: { check: string; status: string; finding: string; advice: string }[] =
    JSON.parse(out).findings;
  const admin = await run(['device', 'list']);
  return {
    started,
    problem: findings.find(({ check, status }) => check === 'database' && status === 'problem'),
    admin,
  };
}

test('uses a server whose CA the URL names', async () => {
  const { url, ca } = provider();
  const { started, problem, admin } = await startAndExamine(`${url}?sslmode=verify-full&sslrootcert=${ca}`);
  expect(started).not.toBeInstanceOf(Error);
  expect(problem).toBe(undefined);
  expect(admin).toMatchObject({ code: 0, err: '' });
});

test('waits for a server that a provider has made read-only, and says so', async () => {
  const { server, url } = provider();
  await sql(server, 'alter system set default_transaction_read_only = on', 'select pg_reload_conf()');
  const api = await startService('api', [], { DATABASE_URL: url, HTTP_PORT: '0', METRICS_PORT: '0' });
  onTestFinished(async () => void (await api.stop()));
  await expect.poll(api.output).toMatch(/default_transaction_read_only is on .*disk is full.*retrying/);
  const { out } = await adminOn(url)(['doctor']);
  expect(out).toContain('it accepts no writes: default_transaction_read_only is on');
  const ready = async () => (await fetch(`http://127.0.0.1:${api.ready['httpPort']}/ready`)).status;
  await withClient(server.url('postgres'), async (client) => {
    await client.query('set default_transaction_read_only = off');
    await client.query('alter system reset default_transaction_read_only');
    await client.query('select pg_reload_conf()');
  });
  await expect.poll(ready).toBe(200);
});
