import { connect, type Database } from '@visitor-counter/database/connect';
import { findDatabase } from '@visitor-counter/database/find-database';
import type { Environment } from '@visitor-counter/service/environment';
import type { Logger } from '@visitor-counter/service/logger';
import type { Running } from '@visitor-counter/service/run-service';
import { createBroker } from '../broker/create-broker.ts';
import { Gate } from '../broker/gate.ts';
import { type MqttServer, startMqttServer } from '../broker/mqtt-server.ts';
import { type GatewayConfig, readConfig } from '../config.ts';
import { type HealthServer, startHealthServer } from '../health/health-server.ts';
import { startIngest } from '../ingest/start-ingest.ts';
import { DeviceStates } from '../state/device-states.ts';
import { migrateWhenUp } from './migrate-when-up.ts';

const applicationName = 'visitor-counter gateway';

/** How long the health check waits for the database (ms). */
const healthDeadline = 2_000;

/** How long the messages that were read may take to be stored when the gateway stops (ms). */
const drainDeadline = 5_000;

/**
 * Starts the gateway: the health check at once, and once the database is up and its schema up to date, the
 * broker. `ready` tells the ports, `mqttPort` and `healthPort`.
 */
export async function startGateway(env: Environment, log: Logger, stopping: AbortSignal): Promise<Running> {
  const config = readConfig(env);
  const url = await findDatabase(env);
  let listening = false;
  const database = connect(url, { applicationName, maxConnections: 5, queryDeadline: 5_000 });
  const health = await startHealth(config, log, async () => (listening ? probe(database) : 'starting'));
  try {
    await migrateWhenUp(url, log, stopping);
    const gateway = await startBroker(config, url, database, log);
    listening = true;
    return {
      ready: { mqttPort: gateway.mqttPort, healthPort: health.port },
      close: async () => {
        listening = false;
        await gateway.close();
        await health.close();
        await database.close();
      },
    };
  } catch (error) {
    await health.close();
    await database.close();
    throw error;
  }
}

async function startHealth(
  { health: address, anyHealthPort: anyPort }: GatewayConfig,
  log: Logger,
  check: () => Promise<string | undefined>,
): Promise<HealthServer> {
  const server = await startHealthServer({ address, anyPort, check });
  if (anyPort && server.port !== address.port) {
    log.warn(
      `port ${address.port} is taken; the health check is on ${server.port} (HEALTH_PORT chooses another)`,
    );
  }
  return server;
}

async function probe({ pool }: Database): Promise<string | undefined> {
  const late = AbortSignal.timeout(healthDeadline);
  const answers = pool.query('select 1').then(
    () => undefined,
    () => 'the database does not answer',
  );
  const isLate = new Promise<string>((resolve) => {
    late.addEventListener('abort', () => resolve('the database does not answer'), { once: true });
  });
  return Promise.race([answers, isLate]);
}

async function startBroker(
  config: GatewayConfig,
  url: string,
  { pool }: Database,
  log: Logger,
): Promise<{ mqttPort: number; close: () => Promise<void> }> {
  const gate = new Gate();
  const states = new DeviceStates(pool, (error) => log.warn({ err: error }, 'device states are not written'));
  const { committer, close: closeIngest } = startIngest({ url, applicationName, gate, log });
  const broker = await createBroker({ pool, committer, states, log });
  const close = async (server?: MqttServer) => {
    server?.stopReading();
    await committer.drain(drainDeadline);
    await server?.close();
    await closeIngest();
    await states.close();
  };
  try {
    const server = await startMqttServer(broker, gate, config.mqtt);
    return { mqttPort: server.port, close: () => close(server) };
  } catch (error) {
    await close();
    throw error;
  }
}
