import { findDatabase } from '@visitor-counter/database/embedded/find-database';
import { callOperation } from '@visitor-counter/test/count-events';
import { oneDoor } from '@visitor-counter/test/one-door';
import { type ServiceProcess, startService } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { testDatabase } from '@visitor-counter/test/test-database';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, onTestFinished, test } from 'vitest';

const anyPorts = { MQTT_PORT: '0', HTTP_PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'info' };
const token = 'token of Acme';

test('one process with all roles counts a crossing from MQTT to the operations, on the embedded PostgreSQL', async () => {
  const DATA_DIR = await temporaryFolder();
  const server = await serve({ DATABASE_URL: '', DATA_DIR });
  const url = await findDatabase({ DATA_DIR });
  const { rows, companyId } = await oneDoor(url);
  await rows.credential({ companyId, kind: 'counts', value: token });

  const unit = await connectUnit({ port: Number(server.ready['mqttPort']), serial: 'CU-1' });
  await unit.crossings('journal', 1, [[Date.now() - 1_000, 1]]);
  await unit.client.endAsync();

  const base = `http://127.0.0.1:${server.ready['httpPort']}`;
  const fields = { CompanyName: 'Acme', Token: token };
  const today = () =>
    callOperation(`${base}/public/Service.asmx`, 'GetAllCountsByCompanyForTodayPublic', fields);
  await expect.poll(today).toMatchObject([{ StoreName: 'S-1', Amount: 1 }]);
  const occupancy = await fetch(`${base}/v1/occupancy`, { headers: { authorization: `Bearer ${token}` } });
  expect(await occupancy.json()).toMatchObject({ items: [{ occupancy: 1 }] });
  await expect
    .poll(() => ready(server))
    .toEqual({
      status: 200,
      body: { status: 'ok', roles: { gateway: 'ok', projector: 'ok', api: 'ok', alerts: 'ok' } },
    });
  const metrics = await (await fetch(operatorUrl(server, 'metrics'))).text();
  for (const name of ['connections', 'projection_lag_seconds', 'api_requests_total', 'alerts_open']) {
    expect(metrics).toContain(`# HELP visitor_counter_${name} `);
  }
  expect(metrics.match(/^# HELP nodejs_version_info /gm)).toHaveLength(1);

  expect(await server.stop()).toBe(0);
  expect(server.output()).toContain('"msg":"stopped"');
  await expect(findDatabase({ DATA_DIR })).rejects.toThrow('DATABASE_URL is not set');
});

test('a process with some roles runs only these, on the existing database', async () => {
  const DATABASE_URL = await testDatabase();

  const server = await serve({ DATABASE_URL }, ['--role', 'api,projector']);

  expect(server.ready).toEqual({ httpPort: expect.any(Number), metricsPort: expect.any(Number) });
  await expect.poll(() => ready(server)).toMatchObject({ body: { roles: { projector: 'ok', api: 'ok' } } });
});

test('a process with some roles does not start the embedded PostgreSQL', async () => {
  const DATA_DIR = await temporaryFolder();

  await expect(serve({ DATABASE_URL: '', DATA_DIR }, ['--role', 'api'])).rejects.toThrow(
    /serve ended \(2\)(.|\n)*DATABASE_URL is not set: expected the URL .* or a server that runs/,
  );
});

test('a role that cannot start ends the process, even while others wait for the database', async () => {
  const holder = await serve({ DATABASE_URL: await testDatabase() }, ['--role', 'alerts']);
  const taken = String(holder.ready['metricsPort']);

  await expect(serve({ DATABASE_URL: 'postgres://user@127.0.0.1:1/none', HTTP_PORT: taken })).rejects.toThrow(
    new RegExp(`serve ended \\(2\\)[^]*HTTP_PORT is "${taken}": expected a port that is free`),
  );
});

async function serve(env: Record<string, string>, args: readonly string[] = []): Promise<ServiceProcess> {
  const server = await startService('serve', args, { ...anyPorts, ...env });
  onTestFinished(async () => void (await server.stop()));
  return server;
}

function operatorUrl({ ready: { metricsPort } }: ServiceProcess, page: string): string {
  return `http://127.0.0.1:${metricsPort}/${page}`;
}

async function ready(server: ServiceProcess): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(operatorUrl(server, 'ready'));
  return { status: answer.status, body: await answer.json() };
}
