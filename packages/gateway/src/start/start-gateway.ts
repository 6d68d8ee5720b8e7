import { canRead } from '@visitor-counter/database/sql/can-read';
import { connect, type Database } from '@visitor-counter/database/sql/connect';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { RoleContext, RunningRole } from '@visitor-counter/service/roles/role';
import { watchRecovery } from '../journals/recovery-watch.ts';
import { aboutError } from '../log/error-fields.ts';
import { gatewayInstruments } from '../metrics/gateway-instruments.ts';
import type { GatewayConfig } from './config.ts';
import { watchDirections } from './direction-watch.ts';
import { tellIngestLife } from './ingest-life.ts';
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
    const stopBackground = startBackground(database, gateway.isStoring, new BoundedLog(log), {
      interval: limits.recoveryInterval ?? defaultTimes.recoveryInterval,
      patience: external ? queuedFor : 0,
      directionInterval: limits.directionInterval ?? defaultTimes.directionInterval,
    });
    return {
      ready: gateway.ready,
      problem: () => gateway.readiness(() => probeDatabase(database)),
      close: async () => {
        await stopBackground();
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
 * How long crossings may be on their way when a heartbeat that counts them has arrived (ms): an external broker delivers
 * them over several connections, and acknowledges them before they are stored.
 */
const queuedFor = 90_000;

/** The periodic work of a gateway, with any broker. */
function startBackground(
  database: Database,
  isStoring: () => boolean,
  log: BoundedLog,
  {
    directionInterval,
    ...recovery
  }: { readonly interval: number; readonly patience: number; readonly directionInterval: number },
): () => Promise<void> {
  const life = tellIngestLife(database.pool, isStoring, (error) =>
    log.write('warn', aboutError(error), 'ingest state not written'),
  );
  const recovering = watchRecovery({ database, log, ...recovery });
  const directions = watchDirections(database, directionInterval, log);
  return async () => {
    life.stop();
    await Promise.all([recovering.close(), directions.close()]);
  };
}
