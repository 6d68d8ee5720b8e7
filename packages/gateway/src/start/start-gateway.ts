import { canRead, connect, type Database } from '@visitor-counter/database/sql/connect';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { RoleContext, RunningRole } from '@visitor-counter/service/roles';
import { gatewayInstruments } from '../metrics/gateway-instruments.ts';
import { startBackground } from './background.ts';
import type { GatewayConfig } from './config.ts';

import {
  applicationName,
  defaultTimes,
  type GatewayLimits,
  startBroker,
  statementDeadlines,
} from './start-broker.ts';
import { startConsumer } from './start-consumer.ts';

/**
 * Starts the broker of the units, or with an existing broker the connections to it, once the schema is up to date.
 * `ready` contains `mqttPort` and `mqttsPort`, or `broker`.
 */
export async function startGateway(
  config: GatewayConfig,
  { databaseUrl: url, migrated, log, metrics }: RoleContext,
  limits: Partial<GatewayLimits> = {},
): Promise<RunningRole> {
  const database = connect(url, { applicationName, maxConnections: 5, ...statementDeadlines });
  try {
    await migrated;
    const { external, ingest } = config;
    const parts = { url, database, log, limits, instruments: gatewayInstruments(metrics) };
    const gateway = external
      ? startConsumer({ config: external, ingest, ...parts })
      : await startBroker({ config, ...parts });
    const { recoveryInterval, directionInterval } = { ...defaultTimes, ...limits };
    const background = startBackground({
      ...{ database, isStoring: gateway.isStoring, recoveryInterval, directionInterval },
      patience: external ? queuedFor : 0,
      log: new BoundedLog(log),
    });
    return {
      ready: gateway.ready,
      problem: () => gateway.readiness(() => probeDatabase(database)),
      close: async () => {
        await background.close();
        await gateway.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Undefined when the database answers and crossings can be read, otherwise the problem, for the operator. */
async function probeDatabase(database: Database): Promise<string | undefined> {
  return (await canRead(database, ['crossing'])) ? undefined : 'the database does not answer';
}

/**
 * How long crossings may take to arrive after a heartbeat that counts them (ms): an external broker delivers them over
 * several connections, and acknowledges them before they are stored.
 */
const queuedFor = 90_000;
