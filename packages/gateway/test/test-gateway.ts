import { createLogger, type DestinationStream } from '@visitor-counter/service/logger';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { runRole } from '@visitor-counter/test/run-role';
import { type Seed, seed } from '@visitor-counter/test/seed';
import { startedOnce } from '@visitor-counter/test/started-once';
import { databaseOfFile, testDatabase } from '@visitor-counter/test/test-database';
import { onTestFinished } from 'vitest';
import { type GatewayLimits, readConfig } from '../src/start/config.ts';
import { startGateway } from '../src/start/start-gateway.ts';

/** A busy machine exceeds the time limits of the product. A test of one of them sets it. */
const patience = 100_000;
const patientLimits = {
  loginDeadline: patience,
  statementTimeout: patience,
  drainDeadline: patience,
  wait: patience,
};
const patientSettings = { MQTT_LOGIN_SECONDS: `${patience / 1_000}` };

/** A gateway, and two devices of one store that no other test uses. */
export interface TestGateway extends SeededDevices, RunningGateway {}

export interface RunningGateway {
  readonly mqttPort: number;
  readonly mqttsPort: number;
  readonly metricsPort: number;
  close(): Promise<void>;
}

export interface SeededDevices {
  readonly url: string;
  readonly seed: Seed;
  /** The serial numbers of the two devices; their secrets are `secret of <serial>`. */
  readonly serial: string;
  readonly other: string;
  readonly deviceId: number;
  readonly otherId: number;
  readonly companyId: number;
  readonly storeId: number;
}

/**
 * One gateway for all tests of a file; the function that is returned gives each test two devices of its
 * own. A test that stops the gateway, or changes what other tests rely on, uses `startTestGateway`.
 */
export function sharedGateway(limits: Partial<GatewayLimits> = {}): () => Promise<TestGateway> {
  let tests = 0;
  const shared = startedOnce(async (atEnd) => {
    const url = await databaseOfFile(atEnd);
    const gateway = await runGateway(url, limits);
    atEnd(() => gateway.close());
    return { url, gateway };
  });
  return async () => {
    tests += 1;
    const seeded = await seedDevices(shared().url, `${tests}`);
    return { ...shared().gateway, ...seeded };
  };
}

/** A gateway and a database of the test's own; they end with it. It logs to `lines` as LOG_LEVEL says. */
export async function startTestGateway(
  limits: Partial<GatewayLimits> = {},
  settings: Environment = {},
  lines?: DestinationStream,
): Promise<TestGateway> {
  const seeded = await seedDevices(await testDatabase());
  return { ...(await startOn(seeded.url, limits, settings, lines)), ...seeded };
}

/** A gateway of the test's own on a database that is there; it ends with the test. */
export async function startOn(
  url: string,
  limits: Partial<GatewayLimits> = {},
  settings: Environment = {},
  lines?: DestinationStream,
): Promise<RunningGateway> {
  const gateway = await runGateway(url, limits, settings, lines);
  onTestFinished(gateway.close);
  return gateway;
}

/** Two devices of one store of a new company. */
export async function seedDevices(url: string, name = '1'): Promise<SeededDevices> {
  const rows = seed(url);
  const [serial, other] = [`CU-${name}-a`, `CU-${name}-b`];
  const companyId = await rows.company(`Acme ${name}`);
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  const deviceId = await rows.device({ companyId, storeId, serial });
  const otherId = await rows.device({ companyId, storeId, serial: other });
  return { url, seed: rows, serial, other, deviceId, otherId, companyId, storeId };
}

async function runGateway(
  url: string,
  limits: Partial<GatewayLimits> = {},
  settings: Environment = {},
  lines?: DestinationStream,
): Promise<RunningGateway> {
  const env = {
    MQTT_PORT: '0',
    MQTTS_PORT: '0',
    ...patientSettings,
    LOG_LEVEL: 'silent',
    ...settings,
  };
  const log = createLogger('gateway', env, lines);
  const config = readConfig(env);
  const allLimits = { ...patientLimits, ...limits };
  const running = await runRole('gateway', (context) => startGateway(config, context, allLimits), url, log);
  let closing: Promise<void> | undefined;
  return {
    mqttPort: Number(running.ready['mqttPort']),
    mqttsPort: Number(running.ready['mqttsPort']),
    metricsPort: Number(running.ready['metricsPort']),
    close: () => {
      closing ??= running.close();
      return closing;
    },
  };
}
