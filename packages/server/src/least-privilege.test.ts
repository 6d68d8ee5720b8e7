import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { withClient } from '@visitor-counter/database/sql/open-client';
import { applyFile, runAdmin } from '@visitor-counter/test/admin';
import { seed } from '@visitor-counter/test/seed';
import { type ServiceProcess, startService } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { dropDatabase } from '@visitor-counter/test/test-database';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, inject, onTestFinished, test } from 'vitest';

const anyPorts = { MQTT_PORT: '0', HTTP_PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'info' };
const credential = `staff-${randomBytes(12).toString('hex')}`;
const company = JSON.stringify({
  companies: [
    {
      name: 'Acme',
      stores: [{ sid: 'S-1', name: 'Main', timeZone: 'Etc/UTC', capacity: 1 }],
      devices: [{ serial: 'CU-0001', store: 'S-1', secret: 'secret of CU-0001' }],
      credentials: [{ kind: 'staff', label: 'floor', value: credential }],
      alertRules: [{ kind: 'capacity-reached' }],
      alertTargets: [{ label: 'ops', url: 'http://127.0.0.1:9/' }],
    },
  ],
});

/** A new database with its roles: its URL for the superuser, and the folder with the URLs of the roles. */
async function databaseWithRoles(): Promise<{ url: string; folder: string }> {
  const name = `server_${randomBytes(4).toString('hex')}`;
  const [server, folder] = [inject('databaseServer'), await temporaryFolder()];
  onTestFinished(async () => {
    await dropDatabase(name);
    await withClient(server, async (client) => {
      for (const role of ['migrate', 'serve', 'read']) await client.query(`drop role ${name}_${role}`);
    });
  });
  await runAdmin(['database', 'setup', '--database', name, '--out', folder], { DATABASE_ADMIN_URL: server });
  return { url: server.replace(/[^/]*$/, name), folder };
}

async function health({ ready }: ServiceProcess): Promise<unknown> {
  return await (await fetch(`http://127.0.0.1:${ready['metricsPort']}/health`)).json();
}

test('all roles of the server work with the serving role, and report that a webhook has another key', async () => {
  const { url, folder } = await databaseWithRoles();
  const rows = seed(url);
  const failedDeliveries = () => rows.query('select from outbox where last_problem is not null');
  const SECRETS_KEY = randomBytes(32).toString('base64');
  const env = { DATABASE_URL_FILE: join(folder, 'serve.url'), SECRETS_KEY };
  await applyFile(company, env);
  const server = await startService('serve', [], { ...anyPorts, ...env });
  onTestFinished(() => server.kill());
  const [base, headers] = [
    `http://127.0.0.1:${server.ready['httpPort']}`,
    { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
  ];
  const occupancy = async () => {
    const answer = await fetch(`${base}/v1/occupancy`, { headers });
    return Object(await answer.json()).items;
  };

  const unit = await connectUnit({ port: Number(server.ready['mqttPort']), serial: 'CU-0001' });
  const at = Date.now() - 2_000;
  await unit.crossings('journal', 1, [
    [at, 1],
    [at + 1, 1],
  ]);
  await unit.crossings('journal', 1, [
    [at, 1],
    [at + 1, -1],
  ]);
  await expect.poll(occupancy).toMatchObject([{ occupancy: 2 }]);
  const correction = JSON.stringify({ store: 'S-1', people: 5, at: new Date().toISOString(), by: 'Ana' });
  const corrected = await fetch(`${base}/v1/corrections`, { method: 'POST', headers, body: correction });
  expect(corrected.ok, await corrected.text()).toBe(true);
  await expect.poll(occupancy).toMatchObject([{ occupancy: 5 }]);
  await expect.poll(failedDeliveries).toHaveLength(1);
  expect(JSON.parse(await runAdmin(['alert', 'list', '--json'], env))).toMatchObject([
    { kind: 'capacity-reached', problem: expect.stringMatching(/^it cannot be reached/) },
  ]);
  await expect.poll(() => health(server)).toMatchObject({ status: 'ok' });
  await unit.client.endAsync();
  expect(await server.stop()).toBe(0);
  expect(server.output()).not.toContain('permission denied');

  const other = randomBytes(32).toString('base64');
  const again = await startService('serve', [], { ...anyPorts, ...env, SECRETS_KEY: other });
  onTestFinished(() => again.kill());
  await expect
    .poll(() => health(again))
    .toMatchObject({
      roles: {
        gateway: 'ok',
        api: 'ok',
        alerts:
          '1 of the webhooks cannot be decrypted: SECRETS_KEY is not the key that they were encrypted with',
      },
    });
});
