import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createAuthority, createCertificate, type Validity } from '@visitor-counter/test/certificates';
import { freeServerPorts } from '@visitor-counter/test/free-ports';
import { oneDoor } from '@visitor-counter/test/one-door';
import { portOf, startService } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { databaseWithoutTables, testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../program.ts';
import type { Finding } from './finding.ts';

const day = 24 * 60 * 60_000;

/**
 * Runs the doctor in this process, with nothing but these settings.
 * Ports that they do not set are free ones: other programs may listen on the default ports.
 */
async function doctor(settings: Record<string, string>, args: readonly string[] = []) {
  const env = { ...(await freeServerPorts()), ...settings };
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(['doctor', '--json', ...args], {
    env,
    folder: '/nonexistent',
    input: Readable.from(['']),
    print: (text) => out.push(text),
    printError: (text) => err.push(text),
  });
  expect(err).toEqual([]);
  const { status, findings }: { status: string; findings: Finding[] } = JSON.parse(out.join('\n'));
  const of = (check: string) => findings.filter((finding) => finding.check === check);
  return { code, status, findings, of };
}

test('reports a server that does not run as a problem, with the command that starts it', async () => {
  const { code, status, of } = await doctor({ DATABASE_URL: await testDatabase() });
  expect({ code, status }).toEqual({ code: 1, status: 'problem' });
  expect(of('service')).toMatchObject([
    { status: 'problem', advice: expect.stringContaining('npx pnpm serve') },
  ]);
  expect(of('ingest')).toMatchObject([{ status: 'problem' }]);
  expect(of('settings')).toMatchObject([{ status: 'ok' }]);
  expect(of('database')).toMatchObject([
    { status: 'ok', finding: expect.stringMatching(/^PostgreSQL \d+/) },
    expect.anything(),
  ]);
  expect(of('schema')).toMatchObject([{ status: 'ok' }]);
  expect(of('projection')).toMatchObject([{ status: 'ok' }]);
});

test('reports settings of PostgreSQL with which a power cut loses crossings', async () => {
  const { of } = await doctor({ DATABASE_URL: await testDatabase() });
  expect(of('durability')).toMatchObject([
    {
      status: 'problem',
      finding: expect.stringContaining('fsync and synchronous_commit and full_page_writes off'),
      advice: expect.stringContaining('alter system set fsync = on'),
    },
  ]);
});

test('finds all roles of a server that runs, and that only this machine can connect', async () => {
  const DATABASE_URL = await testDatabase();
  const anyPorts = { MQTT_PORT: '0', HTTP_PORT: '0', METRICS_PORT: '0' };
  const server = await startService('serve', [], { DATABASE_URL, ...anyPorts });
  const port = (name: string) => String(portOf(server, name));
  const ports = {
    MQTT_PORT: port('mqttPort'),
    HTTP_PORT: port('httpPort'),
    METRICS_PORT: port('metricsPort'),
  };
  const env = { DATABASE_URL, ...ports };
  onTestFinished(async () => void (await server.stop()));
  await expect.poll(async () => (await doctor(env)).of('ingest')).toMatchObject([{ status: 'ok' }]);
  const { of } = await doctor(env);
  expect(of('service')).toMatchObject([
    { status: 'ok', finding: 'all roles are ready: gateway, projector, api, alerts' },
  ]);
  expect(of('ports')).toMatchObject([
    { status: 'warning', finding: expect.stringContaining('only programs on this machine') },
  ]);
});

test('says what to do about a database that does not answer, refuses the login, or has no tables', async () => {
  const url = await databaseWithoutTables();
  const wrong = new URL(url);
  wrong.password = 'wrong';
  const [unreachable, refused, empty] = await Promise.all([
    doctor({ DATABASE_URL: 'postgres://user:hidden@127.0.0.1:1/none' }),
    doctor({ DATABASE_URL: wrong.href }),
    doctor({ DATABASE_URL: url }),
  ]);
  expect(unreachable.of('database')).toMatchObject([
    { status: 'problem', finding: expect.stringContaining('ECONNREFUSED') },
  ]);
  expect(JSON.stringify(unreachable.findings)).not.toContain('hidden');
  expect(refused.of('database')).toMatchObject([
    { status: 'problem', advice: expect.stringContaining('correct DATABASE_URL') },
  ]);
  expect(empty.of('schema')).toMatchObject([{ status: 'problem', finding: 'there are no tables yet' }]);
});

test('says why a replica is not used, and what to do', async () => {
  const url = await testDatabase();
  const check = async (DATABASE_READ_URL: string) =>
    (await doctor({ DATABASE_URL: url, DATABASE_READ_URL, DATABASE_READ_MAX_LAG_SECONDS: '1' })).of(
      'replica',
    );
  expect(await check(url)).toMatchObject([
    {
      status: 'warning',
      finding: expect.stringContaining('it is not a standby'),
      advice: expect.stringContaining('DATABASE_READ_URL'),
    },
  ]);
  const unreachable = await check('postgres://user:hidden@127.0.0.1:1/none');
  expect(unreachable).toMatchObject([
    { status: 'warning', finding: expect.stringContaining('ECONNREFUSED') },
  ]);
  expect(JSON.stringify(unreachable)).not.toContain('hidden');
});

test('names every setting that the server cannot use, and every unknown one in the file', async () => {
  const file = join(await temporaryFolder(), 'server.env');
  await writeFile(file, 'HTTP_PORT=80a0\nMQTT_HOSTS=0.0.0.0\nSMTP_URL_FILE=/run/smtp\n', { mode: 0o644 });
  await chmod(file, 0o644);
  const env = { COUNTER_COMMAND: 'visitor-counter', COUNTER_ENVIRONMENT: file, HTTP_PORT: '80a0' };
  const { of } = await doctor({
    ...env,
    MAIL_FROM: 'me@example.com',
    DATABASE_URL: 'postgres://u@127.0.0.1:1/x',
  });
  expect(of('settings').map(({ finding }) => finding)).toEqual([
    expect.stringContaining('HTTP_PORT is "80a0": expected a port'),
    expect.stringContaining('SMTP_URL is not set'),
    `${file} sets MQTT_HOSTS, which the server does not know`,
    `every user can read ${file}`,
  ]);
});

async function certificate(validity: Validity, names: readonly string[] = []) {
  const path = await temporaryFolder();
  const ca = await createAuthority('ca');
  const { cert, key } = await createCertificate(ca, 'counter.example', names, validity);
  const files = { MQTT_TLS_CERT: join(path, 'cert.pem'), MQTT_TLS_KEY: join(path, 'key.pem') };
  await writeFile(files.MQTT_TLS_CERT, `${cert}\n${ca.cert}`);
  await writeFile(files.MQTT_TLS_KEY, key, { mode: 0o640 });
  return files;
}

const nowhere = { DATABASE_URL: 'postgres://u@127.0.0.1:1/x' };

test.each([
  [
    'expired',
    { notBeforeDate: new Date(Date.now() - 9 * day), notAfterDate: new Date(Date.now() - day) },
    'problem',
    /expired on/,
  ],
  ['expiring', { notAfterDate: new Date(Date.now() + 3.5 * day) }, 'warning', /in 3 days$/],
  [
    'future',
    { notBeforeDate: new Date(Date.now() + day), notAfterDate: new Date(Date.now() + 90 * day) },
    'problem',
    /is valid from/,
  ],
  ['valid', { notAfterDate: new Date(Date.now() + 90.5 * day) }, 'ok', /for 90 days$/],
])('judges an %s certificate', async (_, validity, status, finding) => {
  const { of } = await doctor({ ...nowhere, ...(await certificate(validity)) });
  expect(of('certificates')).toMatchObject([{ status, finding: expect.stringMatching(finding) }]);
});

test('reports a certificate that is not for the address that units get, and a key that everyone can read', async () => {
  const files = await certificate({}, ['counter.example']);
  const right = await doctor({ ...nowhere, ...files, PUBLIC_MQTT_URL: 'mqtts://counter.example:8883' });
  expect(right.of('certificates')).toMatchObject([{ status: 'ok' }]);

  await chmod(files.MQTT_TLS_KEY, 0o644);
  const wrong = await doctor({ ...nowhere, ...files, PUBLIC_MQTT_URL: 'mqtts://other.example:8883' });
  expect(wrong.of('certificates').slice(1)).toMatchObject([
    { status: 'problem', finding: expect.stringContaining('is not for other.example') },
    { status: 'problem', finding: `every user can read ${files.MQTT_TLS_KEY}` },
  ]);
});

test('lists units that are silent, without retired ones', async () => {
  const { url, rows } = await oneDoor();
  await rows.query(`update device set registered_at = now() - interval '1 day'`);
  const { of } = await doctor({ DATABASE_URL: url });
  expect(of('units')).toMatchObject([{ status: 'warning', finding: '1 of 1 silent: CU-1 (never seen)' }]);
  await rows.query('update device set retired_at = now()');
  const later = await doctor({ DATABASE_URL: url });
  expect(later.of('units')).toMatchObject([{ status: 'ok' }]);
});

test('reports a disk and a clock, and advises in text', async () => {
  const out: string[] = [];
  const context = { env: nowhere, folder: '/', input: Readable.from(['']), printError: () => {} };
  const code = await run(['doctor'], { ...context, print: (text) => out.push(text) });
  expect(code).toBe(1);
  expect(out.join('\n')).toMatch(/^problem +database +x at 127\.0\.0\.1:1: .*\n +-> Is PostgreSQL running/m);
  expect(out.join('\n')).toMatch(/^(ok|warning|problem) +clock +/m);
  expect(out.join('\n')).toMatch(/^(ok|warning|problem) +disk +\S+ has [\d.]+ [MG]B free/m);
  expect(out.join('\n')).toMatch(/\n\n\d+ problems?, \d+ warnings?$/);
});
