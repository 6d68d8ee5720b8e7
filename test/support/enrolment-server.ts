import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runAdmin } from './admin.ts';
import { createAuthority, createCertificate } from './certificates.ts';
import { seed } from './seed.ts';
import { startService, untilReady } from './service-process.ts';
import type { AtEnd } from './started-once.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { databaseOfFile } from './test-database.ts';

/**
 * An api and a gateway on this machine with certificates of a CA of their own, which units reach by the name `host`,
 * and a store S-1. Everything ends with the test that runs, or with the file: see `startedOnce`.
 */
export async function enrolmentServer(
  { showsCa = true, host = '127.0.0.1' } = {},
  atEnd: AtEnd = onTestFinished,
) {
  const folder = await temporaryFolder(atEnd);
  const file = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const ca = await createAuthority('company');
  const shown = await createCertificate(ca, 'counter', [host]);
  const cert = await file('fullchain.pem', showsCa ? `${shown.cert}\n${ca.cert}` : shown.cert);
  const key = await file('key.pem', shown.key);
  const url = await databaseOfFile(atEnd);
  const rows = seed(url, atEnd);
  await rows.store({ companyId: await rows.company('Acme'), sid: 'S-1' });
  const common = { DATABASE_URL: url, METRICS_PORT: '0' };
  const gateway = await startService('gateway', [], {
    ...common,
    MQTTS_PORT: '0',
    MQTT_TLS_CERT: cert,
    MQTT_TLS_KEY: key,
  });
  atEnd(() => gateway.kill());
  const api = await startService('api', [], {
    ...common,
    HTTP_PORT: '0',
    HTTP_TLS_CERT: cert,
    HTTP_TLS_KEY: key,
    PUBLIC_MQTT_URL: `mqtts://${host}:${gateway.ready['mqttsPort']}`,
  });
  atEnd(() => api.kill());
  await untilReady(api);
  const env = { DATABASE_URL: url, HTTP_TLS_CERT: cert };
  /** Creates a code with the operator's command line. */
  const code = async (...args: string[]): Promise<string> =>
    JSON.parse(await runAdmin(['enrolment', 'create', ...args, '--json'], env)).code;
  /** A code with which another unit replaces the unit of a device. */
  const replacementCode = async (serial: string): Promise<string> =>
    JSON.parse(await runAdmin(['device', 'replace', serial, '--json'], env)).code;
  const server = `https://${host}:${api.ready['httpPort']}`;
  return { rows, folder, server, caFile: await file('ca.pem', ca.cert), code, replacementCode };
}
