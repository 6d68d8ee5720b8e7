import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { alertKinds } from '@visitor-counter/database/alerts/alert-kinds';
import { applyFile } from '@visitor-counter/test/admin';
import { type ServiceProcess, startService } from '@visitor-counter/test/service-process';
import type { KnownDevice } from '../fuzz/well-formed.ts';

/** A company whose readers and alerts are tested; the second company is not attacked. */
export interface AttackedCompany {
  readonly name: string;
  readonly counts: string;
  readonly lifeSignal: string;
  readonly staff: string;
}

export const companies: readonly AttackedCompany[] = ['Acme', 'Bell'].map((name) => ({
  name,
  counts: `the-counts-token-of-${name}`,
  lifeSignal: `the-life-signal-key-of-${name}`,
  staff: `the-staff-token-of-${name}`,
}));

/** Encrypts the webhook. */
const SECRETS_KEY = randomBytes(32).toString('base64');

/** Sends the extremes. */
export const hostile: KnownDevice = { serial: 'CU-1', secret: 'secret-of-unit-one' };
/** Sends valid messages, in the same store. */
export const honest: KnownDevice = { serial: 'CU-2', secret: 'secret-of-unit-two' };

/** Each part of the product in a separate process, and a webhook of the companies. */
export interface ExtremesWorld {
  readonly mqttPort: number;
  readonly databaseUrl: string;
  /** The api's address; another one after `restartApi`. */
  apiUrl(): string;
  /** Restarts the api, so that it reads all stored data again. */
  restartApi(): Promise<void>;
  /** The requests to the webhook. */
  readonly alerts: readonly string[];
  /** Everything that the processes logged, at the level `error` or above. */
  errors(): string[];
  stop(): Promise<void>;
}

const quiet = { METRICS_PORT: '0', LOG_LEVEL: 'error' };

export async function startExtremesWorld(databaseUrl: string): Promise<ExtremesWorld> {
  const webhook = await startWebhook();
  await applyFile(JSON.stringify(topology(webhook.url)), { DATABASE_URL: databaseUrl, SECRETS_KEY });
  const ended: ServiceProcess[] = [];
  const gateway = await startService('gateway', [], {
    ...quiet,
    DATABASE_URL: databaseUrl,
    MQTT_PORT: '0',
  });
  const alerts = await startService('alerts', [], { ...quiet, DATABASE_URL: databaseUrl, SECRETS_KEY });
  let api = await startApi(databaseUrl);
  return {
    databaseUrl,
    mqttPort: Number(gateway.ready['mqttPort']),
    alerts: webhook.received,
    apiUrl: () => `http://127.0.0.1:${api.ready['httpPort']}`,
    restartApi: async () => {
      await api.stop();
      ended.push(api);
      api = await startApi(databaseUrl);
    },
    errors: () => [...ended, gateway, alerts, api].flatMap(errorsOf),
    stop: async () => {
      for (const service of [alerts, api, gateway]) await service.stop();
      webhook.close();
    },
  };
}

function startApi(databaseUrl: string): Promise<ServiceProcess> {
  return startService('api', [], {
    ...quiet,
    DATABASE_URL: databaseUrl,
    HTTP_PORT: '0',
    API_REQUESTS_PER_MINUTE: '1000000',
  });
}

function errorsOf(service: ServiceProcess): string[] {
  return service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
}

async function startWebhook() {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    received.push(await text(request));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const address = server.address();
  const { port } = isAddress(address) ? address : { port: 0 };
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { received, url: `http://127.0.0.1:${port}/`, close };
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

function topology(webhook: string): object {
  const soon = new Set(['device-inactive', 'beam-blocked', 'data-overdue']);
  const alertRules = alertKinds.map((kind) => ({ kind, ...(soon.has(kind) && { after: '10s' }) }));
  const described = companies.map(({ name, counts, lifeSignal, staff }) => ({
    name,
    stores: [
      { sid: 'S-1', name: 'Main', timeZone: 'Europe/Berlin', capacity: 3 },
      { sid: 'S-2', name: 'Annex', timeZone: 'America/Los_Angeles', dayStartsAt: '04:30' },
    ],
    shopGroups: [{ name: 'Group', stores: ['S-1', 'S-2'] }],
    devices:
      name === 'Acme'
        ? [hostile, honest].map((device) => ({ ...device, store: 'S-1' }))
        : [{ serial: 'CU-3', secret: 'secret-of-unit-three', store: 'S-1' }],
    credentials: [
      { kind: 'counts', label: 'counts', value: counts },
      { kind: 'life-signal', label: 'life signal', value: lifeSignal },
      { kind: 'staff', label: 'staff', value: staff },
    ],
    alertRules,
    alertTargets: [{ label: 'ops', url: webhook }],
  }));
  return { companies: described };
}
