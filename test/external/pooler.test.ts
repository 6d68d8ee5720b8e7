import { chmod, chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serverUser } from '@visitor-counter/database/embedded/data-folder';
import { connectionProblem } from '@visitor-counter/database/embedded/find-database';
import { reasonOf } from '@visitor-counter/service/errors';
import { freePort, freeServerPorts } from '@visitor-counter/test/free-ports';
import { oneDoor } from '@visitor-counter/test/one-door';
import { startService } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { testDatabase } from '@visitor-counter/test/test-database';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, onTestFinished, test } from 'vitest';
import { adminOn } from '../../packages/admin/test/run-admin.ts';
import { killProgram, startProgram } from './high-availability/owned-process.ts';

/** The URL of a database through PgBouncer, until the end of the test. All settings that are not given are its defaults. */
async function pooled(databaseUrl: string, settings: Readonly<Record<string, string>>): Promise<string> {
  const [folder, port] = [await temporaryFolder(), await freePort()];
  const url = new URL(databaseUrl);
  const user = await serverUser('/nonexistent');
  const files = {
    'users.txt': `"${url.username}" "${url.password}"\n`,
    'pgbouncer.ini': [
      '[databases]',
      `* = host=${url.hostname} port=${url.port}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1`,
      `listen_port = ${port}`,
      `unix_socket_dir =`,
      `auth_type = scram-sha-256`,
      `auth_file = ${join(folder, 'users.txt')}`,
      ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
      '',
    ].join('\n'),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  if (user) for (const path of [folder, join(folder, 'users.txt')]) await chown(path, user.uid, user.gid);
  await chmod(folder, 0o755);
  const pooler = startProgram({ folder, user }, '/usr/sbin/pgbouncer', [join(folder, 'pgbouncer.ini')]);
  onTestFinished(() => killProgram(pooler));
  url.host = `127.0.0.1:${port}`;
  const answer = async () => reasonOf(await connectionProblem(url.href, 5_000));
  await expect.poll(answer).toBe('undefined');
  return url.href;
}

test.each([
  ['in transaction mode', { pool_mode: 'transaction' }, '', /pool_mode = session/],
  [
    'that refuses a parameter of the URL',
    { pool_mode: 'session' },
    '?options=-c%20work_mem%3D8MB',
    /without the parameter that the pooler refuses.*unsupported startup parameter/,
  ],
])('does not serve through a pooler %s, and says what to do', async (_, settings, parameters, expected) => {
  const DATABASE_URL = `${await pooled(await testDatabase(), settings)}${parameters}`;
  const env = { DATABASE_URL, ...(await freeServerPorts()) };
  await expect(startService('serve', [], env)).rejects.toThrow(/ended \(2\)/);
  await expect(startService('serve', [], env)).rejects.toThrow(expected);
  const run = adminOn(DATABASE_URL, env);
  expect(await run(['device', 'list'])).toMatchObject({ code: 2, err: expect.stringMatching(expected) });
  expect((await run(['doctor'])).out).toMatch(expected);
});

test('counts a crossing through a pooler in session mode', async () => {
  const { url: databaseUrl, rows, companyId } = await oneDoor();
  await rows.credential({ companyId, kind: 'counts', value: 'token of Acme' });
  const url = await pooled(databaseUrl, { pool_mode: 'session', default_pool_size: '40' });
  const server = await startService('serve', [], { DATABASE_URL: url, ...(await freeServerPorts()) });
  onTestFinished(async () => void (await server.stop()));
  const unit = await connectUnit({ port: Number(server.ready['mqttPort']), serial: 'CU-1' });
  await unit.crossings('journal', 1, [[Date.now() - 1_000, 1]]);
  await unit.client.endAsync();
  const address = `http://127.0.0.1:${server.ready['httpPort']}/v1/occupancy`;
  const occupancy = async () =>
    (await fetch(address, { headers: { authorization: 'Bearer token of Acme' } })).json();
  await expect.poll(occupancy).toMatchObject({ items: [{ occupancy: 1 }] });
});
