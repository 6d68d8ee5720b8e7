import { createLogger } from '@visitor-counter/service/logger';
import { type Seed, seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { onTestFinished } from 'vitest';
import { startGateway } from './start-gateway.ts';

export interface TestGateway {
  readonly mqttPort: number;
  readonly healthPort: number;
  readonly url: string;
  readonly seed: Seed;
  /** The ids of the devices, by serial. */
  readonly devices: Readonly<Record<string, number>>;
  readonly storeId: number;
  close(): Promise<void>;
}

export interface TestGatewayOptions {
  readonly serials: readonly string[];
  /** The way to the database, given its URL; the direct one when left out. */
  readonly through?: (url: string) => string;
}

/** A gateway of the test's own, with devices of one store; it ends with the test. */
export async function startTestGateway({ serials, through }: TestGatewayOptions): Promise<TestGateway> {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  const devices: Record<string, number> = {};
  for (const serial of serials) devices[serial] = await rows.device({ companyId, storeId, serial });
  const gateway = await startOn(through?.(url) ?? url);
  return { ...gateway, url, seed: rows, devices, storeId };
}

/** A gateway in this process on a database that is there; it ends with the test. */
export async function startOn(url: string): Promise<Pick<TestGateway, 'mqttPort' | 'healthPort' | 'close'>> {
  const env = { DATABASE_URL: url, MQTT_PORT: '0', HEALTH_PORT: '0', LOG_LEVEL: 'silent' };
  const running = await startGateway(env, createLogger('gateway', env), new AbortController().signal);
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= running.close());
  onTestFinished(close);
  return {
    mqttPort: Number(running.ready['mqttPort']),
    healthPort: Number(running.ready['healthPort']),
    close,
  };
}
