import { connect } from '@visitor-counter/database/connect';
import { findDatabase } from '@visitor-counter/database/find-database';
import type { Environment } from '@visitor-counter/service/environment';
import type { Logger } from '@visitor-counter/service/logger';
import type { Running } from '@visitor-counter/service/run-service';
import { type GatewayConfig, readConfig } from '../config.ts';
import { type HealthServer, startHealthServer } from '../health/health-server.ts';
import { probeDatabase } from '../health/probe-database.ts';
import { migrateWhenUp } from './migrate-when-up.ts';
import { applicationName, type GatewayLimits, startBroker } from './start-broker.ts';

/**
 * Starts the gateway: the health check at once, and once the database is up and its schema up to date, the
 * broker. `ready` tells the ports, `mqttPort` and `healthPort`.
 */
export async function startGateway(
  env: Environment,
  log: Logger,
  stopping: AbortSignal,
  limits: Partial<GatewayLimits> = {},
): Promise<Running> {
  const config = readConfig(env);
  const url = await findDatabase(env);
  let notServing: string | undefined = 'starting';
  const database = connect(url, { applicationName, maxConnections: 5, queryDeadline: 5_000 });
  const health = await startHealth(config, log, async () => notServing ?? probeDatabase(database));
  try {
    await migrateWhenUp(url, log, stopping);
    const gateway = await startBroker({ config, url, database, log, limits });
    notServing = undefined;
    return {
      ready: { mqttPort: gateway.mqttPort, healthPort: health.port },
      close: async () => {
        notServing = 'stopping';
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
