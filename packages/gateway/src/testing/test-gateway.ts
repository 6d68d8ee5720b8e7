import { createLogger } from '@visitor-counter/service/logger';
import { type Seed, seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { onTestFinished } from 'vitest';
import { startGateway } from '../start/start-gateway.ts';

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

export type SeededDevices = Pick<TestGateway, 'url' | 'seed' | 'devices' | 'storeId'>;

/** Devices of one store in a database that is empty. */
export async function seedDevices(url: string, serials: readonly string[]): Promise<SeededDevices> {
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  const devices: Record<string, number> = {};
  for (const serial of serials) devices[serial] = await rows.device({ companyId, storeId, serial });
  return { url, seed: rows, devices, storeId };
}

/** A gateway of the test's own, with devices of one store; it ends with the test. */
export async function startTestGateway({ serials }: { serials: readonly string[] }): Promise<TestGateway> {
  const seeded = await seedDevices(await testDatabase(), serials);
  return { ...(await startOn(seeded.url)), ...seeded };
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
