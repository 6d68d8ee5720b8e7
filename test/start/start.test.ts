import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { runAdmin } from '@visitor-counter/test/admin';
import { createAuthority, createCertificate } from '@visitor-counter/test/certificates';
import { callOperation } from '@visitor-counter/test/count-events';
import { type Demonstration, startDemonstration } from '@visitor-counter/test/demonstration';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

/** `npx pnpm start`, as a stranger runs it, cuts it off, and runs it again. */
let dataFolder: string;
let demonstration: Demonstration;

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'visitor-counter-start-'));
});

afterAll(async () => {
  await demonstration?.interrupt();
  await rm(dataFolder, { recursive: true, force: true });
});

test('delivers the recording exactly once, through a kill in mid-backlog and a second start', async () => {
  demonstration = startDemonstration({ DATA_DIR: dataFolder });
  await demonstration.printed(/The past .* [1-9]\d? %/);
  await demonstration.kill();

  demonstration = startDemonstration({ DATA_DIR: dataFolder });
  await demonstration.printed(/the past has been delivered/);

  const counts = await recordedCounts(demonstration.output());
  expect(counts).toEqual({ entries: 19_597, exits: 18_837 });
});

test('the operator’s command line finds the embedded database while it runs', async () => {
  const devices = JSON.parse(
    await runAdmin(['device', 'list', '--json'], { DATA_DIR: dataFolder, DATABASE_URL: '' }),
  );

  expect(devices).toContainEqual(expect.objectContaining({ serial: 'CU-0001' }));
});

test('ends cleanly on Ctrl-C, and the next start goes on where it was without doubling anything', async () => {
  expect(await demonstration.interrupt()).toBe(0);
  expect(existsSync(join(dataFolder, 'postgres', 'data', 'postmaster.pid'))).toBe(false);
  expect(existsSync(join(dataFolder, 'postgres', 'address'))).toBe(false);

  demonstration = startDemonstration({ DATA_DIR: dataFolder });
  await demonstration.printed(/the past has been delivered/);

  expect(await recordedCounts(demonstration.output())).toEqual({ entries: 19_597, exits: 18_837 });
});

test('with certificates it prints the addresses that speak TLS, and its own units deliver all the same', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-start-tls-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const ca = await createAuthority('company');
  const { cert, key } = await createCertificate(ca, 'counter');
  const [certFile, keyFile] = [join(folder, 'fullchain.pem'), join(folder, 'key.pem')];
  await Promise.all([writeFile(certFile, `${cert}\n${ca.cert}`), writeFile(keyFile, key)]);
  const tls = {
    MQTT_TLS_CERT: certFile,
    MQTT_TLS_KEY: keyFile,
    HTTP_TLS_CERT: certFile,
    HTTP_TLS_KEY: keyFile,
  };
  const secured = startDemonstration({ DATA_DIR: join(folder, 'data'), MQTTS_PORT: '0', ...tls });
  onTestFinished(async () => void (await secured.interrupt()));

  const [, page = ''] = await secured.printed(/address {2}(https:\S+)/);
  const [, units = ''] = await secured.printed(/units {4}mqtts:\/\/(\S+) +\(mqtt:\/\/127\.0\.0\.1:/);
  await secured.printed(/The past .* [1-9]\d? %/);

  for (const address of [new URL(page).host, units]) {
    const [host, port] = address.split(':');
    const socket = connect({ host, port: Number(port), ca: ca.cert });
    await once(socket, 'secureConnect');
    socket.destroy();
  }
});

test('refuses a port that was asked for and is taken, by name', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => {
    taken.close();
  });
  await once(taken, 'listening');
  const address = taken.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-port-'));
  onTestFinished(() => rm(folder, { recursive: true }));

  const refused = startDemonstration({ DATA_DIR: folder, HTTP_PORT: String(address.port) });

  await refused.printed(new RegExp(`HTTP_PORT is "${address.port}": expected a port that is free`));
  await once(refused.child, 'close');
  expect(refused.child.exitCode).toBe(2);
});

test.each([
  [
    'a database that cannot be reached',
    { DATABASE_URL: 'postgres://user:very-secret@127.0.0.1:1/db' },
    /^DATABASE_URL is "…": expected a PostgreSQL that can be reached \(connect ECONNREFUSED 127\.0\.0\.1:1\)$/m,
  ],
  [
    'a host of another machine',
    { HTTP_HOST: '192.0.2.1', HTTP_PORT: '' },
    /^HTTP_HOST is "192\.0\.2\.1": expected an address of this machine$/m,
  ],
  [
    'what a service cannot use',
    { API_EXPORTS: 'many' },
    /^API_EXPORTS is "many": expected a whole number, 1 to \d+$/m,
  ],
  ['a blank folder', { DATA_DIR: ' ' }, /^DATA_DIR is " ": expected the path of a folder$/m],
])('refuses %s in one line', async (_what, settings, line) => {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-refused-'));
  onTestFinished(() => rm(folder, { recursive: true }));

  const refused = startDemonstration({ DATA_DIR: folder, ...settings });

  await refused.printed(line);
  await once(refused.child, 'close');
  expect(refused.child.exitCode).toBe(2);
  expect(refused.output()).not.toMatch(/very-secret|Error|^ +at /m);
});

test('says whose the folder is to a second start in it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-second-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const first = startDemonstration({ DATA_DIR: folder });
  onTestFinished(async () => void (await first.interrupt()));
  await first.printed(/the schema is up to date/);

  const second = startDemonstration({ DATA_DIR: folder });

  await second.printed(
    new RegExp(
      `^DATA_DIR is "${folder}": expected .* process ${first.child.pid} is using it, .* npx pnpm start$`,
      'm',
    ),
  );
  await once(second.child, 'close');
  expect(second.child.exitCode).toBe(2);
});

/** Asks for the whole recording with the credentials and dates that the start printed. */
async function recordedCounts(output: string): Promise<{ entries: number; exits: number }> {
  const serviceUrl = /http:\/\/\S+\/Service\.asmx/.exec(output)?.[0] ?? '';
  const token = /token\s+(\S+)/.exec(output)?.[1] ?? '';
  const [, DateFrom = '', DateTo = ''] = /DateFrom=(\S+) to DateTo=([\d-]+)/.exec(output) ?? [];
  const count = async (In: string) => {
    const fields = {
      CompanyName: 'Demo Stores',
      Token: token,
      SerialNumber: 'CU-0001',
      DateFrom,
      DateTo,
      In,
    };
    return (await callOperation(serviceUrl, 'GetCountsBySerialNumberAndDatePublic', fields)).length;
  };
  return { entries: await count('true'), exits: await count('false') };
}
