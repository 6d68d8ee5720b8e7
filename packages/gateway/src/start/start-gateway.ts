import { findDatabase } from '@visitor-counter/database/embedded/find-database';
import { migrateWhenUp } from '@visitor-counter/database/migrations/migrate-when-up';
import { startProjector } from '@visitor-counter/database/projection/projector';
import { connect, type Database } from '@visitor-counter/database/sql/connect';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Environment } from '@visitor-counter/service/environment';
import type { Logger } from '@visitor-counter/service/logger';
import { createMetrics } from '@visitor-counter/service/metrics';
import type { Running } from '@visitor-counter/service/run-service';
import { watchRecovery } from '../journals/recovery-watch.ts';
import { aboutError } from '../log/error-fields.ts';
import { gatewayInstruments } from '../metrics/gateway-instruments.ts';
import { projectorInstruments } from '../metrics/projector-instruments.ts';
import { readConfig } from './config.ts';
import { watchDirections } from './direction-watch.ts';
import { tellIngestLife } from './ingest-life.ts';
import { probeDatabase } from './probe-database.ts';
import {
  applicationName,
  defaultTimes,
  type GatewayLimits,
  type Started,
  startBroker,
  statementDeadlines,
} from './start-broker.ts';
import { startConsumer } from './start-consumer.ts';
import { startOperatorServers } from './start-operator-servers.ts';

/**
 * Starts the gateway: health check and metrics at once, and once the database is up and its schema up to
 * date, the broker, its own or the connections to another one. `ready` tells `healthPort`, `metricsPort`,
 * and `mqttPort` and `mqttsPort`, or `broker`.
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
  const database = connect(url, { applicationName, maxConnections: 5, ...statementDeadlines });
  const probe = () => probeDatabase(database);
  let readiness: Started['readiness'] = (ask) => ask();
  const metrics = createMetrics({ ofProcess: true });
  const instruments = gatewayInstruments(metrics);
  const check = async () => notServing ?? readiness(probe);
  const operator = await startOperatorServers({ config, log, metrics, check });
  try {
    await migrateWhenUp(url, log, stopping);
    const { external, ingest } = config;
    const parts = { url, database, log, limits, instruments };
    const gateway = external
      ? startConsumer({ config: external, ingest, ...parts })
      : await startBroker({ config, ...parts });
    notServing = undefined;
    readiness = gateway.readiness;
    const bounded = new BoundedLog(log);
    const projector = startProjector({
      ...{ url, applicationName: `${applicationName} projector`, onRound: projectorInstruments(metrics) },
      onProblem: (error) => bounded.write('warn', aboutError(error), 'the projection cannot be updated'),
    });
    const stopBackground = startBackground(database, gateway.isStoring, bounded, {
      interval: limits.recoveryInterval ?? defaultTimes.recoveryInterval,
      patience: external ? queuedFor : 0,
      directionInterval: limits.directionInterval ?? defaultTimes.directionInterval,
    });
    return {
      ready: { ...gateway.ready, ...operator.ports },
      close: async () => {
        notServing = 'stopping';
        await stopBackground();
        await gateway.close();
        await projector.close();
        await operator.close();
        await database.close();
      },
    };
  } catch (error) {
    await operator.close();
    await database.close();
    throw error;
  }
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
