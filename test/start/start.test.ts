import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { createAuthority, createCertificate } from '@visitor-counter/test/certificates';
import { callOperation } from '@visitor-counter/test/count-events';
import { type Demonstration, startDemonstration } from '@visitor-counter/test/demonstration';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** `npx pnpm start` as a new user runs it, interrupts it, and runs it again. */
let dataFolder: string;
let demonstration: Demonstration;

beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'visitor-counter-start-'));
});

afterAll(async () => {
  await demonstration?.interrupt();
  await rm(dataFolder, { recursive: true, force: true });
});

test('prints the TLS addresses if certificates are configured, and its own units still deliver', async () => {
  const folder = await temporaryFolder();
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
  demonstration = startDemonstration({ DATA_DIR: dataFolder, MQTTS_PORT: '0', ...tls });

  const [, page = ''] = await demonstration.printed(/address {2}(https:\S+)/);
  const [, units = ''] = await demonstration.printed(/units {4}mqtts:\/\/(\S+) +\(mqtt:\/\/127\.0\.0\.1:/);
  for (const address of [new URL(page).host, units]) {
    const [host, port] = address.split(':');
    const socket = connect({ host, port: Number(port), ca: ca.cert });
    await once(socket, 'secureConnect');
    socket.destroy();
  }
  await demonstration.printed(/The past .* [1-9]\d? %/);
});

test('delivers the recording exactly once, through a kill while crossings are pending and a second start', async () => {
  await demonstration.kill();

  demonstration = startDemonstration({ DATA_DIR: dataFolder });
  await demonstration.printed(/the past has been delivered/);

  const counts = await recordedCounts(demonstration.output());
  expect(counts).toEqual({ entries: 19_597, exits: 18_837 });
});

test('names the process that uses the folder to a second start in it', async () => {
  const second = startDemonstration({ DATA_DIR: dataFolder });

  const user = `process ${demonstration.child.pid} is using it`;
  await second.printed(
    new RegExp(`^DATA_DIR is "${dataFolder}": expected .* ${user}, .* another server or demonstration$`, 'm'),
  );
  await once(second.child, 'close');
  expect(second.child.exitCode).toBe(2);
});

test('ends cleanly on Ctrl-C, and the next start continues without counting anything twice', async () => {
  expect(await demonstration.interrupt()).toBe(0);
  expect(existsSync(join(dataFolder, 'postgres', 'data', 'postmaster.pid'))).toBe(false);
  expect(existsSync(join(dataFolder, 'postgres', 'address'))).toBe(false);

  demonstration = startDemonstration({ DATA_DIR: dataFolder });
  await demonstration.printed(/the past has been delivered/);

  expect(await recordedCounts(demonstration.output())).toEqual({ entries: 19_597, exits: 18_837 });
});

/** Requests the whole recording with the credentials and dates that the start printed. */
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
