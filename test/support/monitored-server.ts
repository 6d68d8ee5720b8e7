import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { recordBackup } from '@visitor-counter/database/backup/dump';
import { onTestFinished } from 'vitest';
import { type Certificate, createAuthority, createCertificate } from './certificates.ts';
import { holdLock } from './held-lock.ts';
import { oneDoor } from './one-door.ts';
import { scrape } from './scrape.ts';
import { startService, untilReady } from './service-process.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { connectUnit } from './unit-client.ts';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const token = 'token of Acme';

/**
 * A real server with all roles and TLS, of a company with a unit, one that is silent for two hours, one that never connected,
 * and a backup.
 */
export async function startMonitoredServer() {
  const { url, rows, companyId, storeId, deviceId } = await oneDoor();
  const expires = Math.floor(Date.now() / 1_000) * 1_000 + 30 * 86_400_000;
  const { ca, settings } = await certificateFiles(expires);
  await rows.credential({ companyId, kind: 'counts', value: token });
  const silent = await rows.device({ companyId, storeId, serial: 'CU-2' });
  await rows.device({ companyId, storeId, serial: 'CU-3' });
  await rows.query(
    `update device_state set last_activity_at = case when device_id = $1 then now() - interval '2 hours' else now() end
     where device_id in ($1, $2)`,
    [silent, deviceId],
  );
  await recordBackup(url, Date.now() - 3_600_000);
  const ports = { MQTT_PORT: '0', MQTTS_PORT: '0', HTTP_PORT: '0', METRICS_PORT: '0' };
  const server = await startService('serve', [], { DATABASE_URL: url, ...ports, ...settings });
  onTestFinished(async () => void (await server.stop()));
  await untilReady(server);
  const port = (name: string) => Number(server.ready[name]);
  const get = (path: string, form?: Record<string, string>) => httpsStatus(port('httpPort'), ca, path, form);
  return {
    /** When its certificates expire (epoch ms). */
    expires,
    /**
     * Causes an event for each value of each label: crossings that are stored, sent again, rejected and pending, a refused
     * login, and requests that are answered, refused and failed.
     */
    causeEverything: async () => {
      await causeMessages(port('mqttsPort'), ca);
      await causeRequests(get);
      const lock = await holdLock(url, 'lock table credential in access exclusive mode');
      await get('/ready');
      await lock.release();
    },
    /** The samples of its metrics, by name and labels. */
    scrape: async () => [...(await scrape(port('metricsPort')))].map(sampleOf),
  };
}

async function certificateFiles(expires: number) {
  const folder = await temporaryFolder();
  const ca = await createAuthority('monitored', { notAfterDate: new Date(expires + 86_400_000) });
  const { cert, key } = await createCertificate(ca, 'server', [], { notAfterDate: new Date(expires) });
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await writeFile(certFile, `${cert}\n${ca.cert}`);
  await writeFile(keyFile, key);
  const files = (name: string) => ({ [`${name}_TLS_CERT`]: certFile, [`${name}_TLS_KEY`]: keyFile });
  return { ca, settings: { ...files('MQTT'), ...files('HTTP') } };
}

async function causeMessages(port: number, ca: Certificate): Promise<void> {
  const options = { protocol: 'mqtts', ca: ca.cert } as const;
  const unit = await connectUnit({ port, serial: 'CU-1', options });
  await unit.crossings('journal', 1, [[Date.now() - 1_000, 1]]);
  await unit.crossings('journal', 1, [[Date.now() - 1_000, 1]]);
  await unit.crossings('journal', 2, [[Date.now() + 90 * 86_400_000, 1]]);
  const counts = { journal: 'journal', recorded: 9, acknowledged: 2 };
  const beams = [{ name: 'outer', state: 'blocked', since: Date.now(), breaks: 1 }];
  const state = { clock: 'synced', beams, cpuTemperature: 40, diskFree: 1e10 };
  await unit.publish(
    'heartbeat',
    JSON.stringify({ at: Date.now() + 100_000, uptime: 1, version: '1.0.0', ...counts, ...state }),
  );
  await connectUnit({ port, serial: 'CU-1', secret: 'wrong', options }).catch(() => {});
}

type Get = (path: string, form?: Record<string, string>) => Promise<number>;

async function causeRequests(get: Get): Promise<void> {
  const today = '/public/Service.asmx/GetAllCountsByCompanyForTodayPublic';
  await get(today, { CompanyName: 'Acme', Token: token });
  await get(today, { CompanyName: 'Acme', Token: 'wrong' });
  await get('/v1/stores/S-1');
  await get('/no/such/path');
}

/** The status of the answer to GET, or to POST of a form. */
async function httpsStatus(
  port: number,
  ca: Certificate,
  path: string,
  form?: Record<string, string>,
): Promise<number> {
  const body = form && new URLSearchParams(form).toString();
  const headers = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const method = body === undefined ? 'GET' : 'POST';
  const sent = request({ host: '127.0.0.1', port, path, method, headers, ca: ca.cert });
  sent.end(body);
  const [response] = await once(sent, 'response');
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}

function sampleOf([series, value]: readonly [string, number]): Sample {
  const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?/.exec(series) ?? [];
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  return { name, labels: Object.fromEntries(pairs.map(([, key = '', text = '']) => [key, text])), value };
}
