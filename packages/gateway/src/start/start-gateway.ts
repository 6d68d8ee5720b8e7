import { randomUUID } from 'node:crypto';
import { canRead, connect } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { RoleContext, RunningRole } from '@visitor-counter/service/roles';
import { Backpressure } from '../backpressure/backpressure.ts';
import { DeviceStates } from '../devices/device-states.ts';
import { Receiver } from '../ingest/receive.ts';
import { startIngest } from '../ingest/start-ingest.ts';
import { JournalCoverage } from '../journals/journal-coverage.ts';
import { gatewayInstruments } from '../metrics/gateway-instruments.ts';
import { startBackground } from './background.ts';
import { defaultLimits, type GatewayConfig, type GatewayLimits } from './config.ts';
import { startBroker } from './start-broker.ts';

/** Shown in pg_stat_activity. */
const applicationName = 'visitor-counter gateway';

/**
 * Starts everything between the units and the database, once the schema is up to date. `ready` contains `mqttPort` and
 * `mqttsPort`. Closing stops reading, stores the messages already read, closes the connections, and writes the states of
 * devices.
 */
export async function startGateway(
  config: GatewayConfig,
  { databaseUrl: url, migrated, log: logger, metrics }: RoleContext,
  changedLimits: Partial<GatewayLimits> = {},
): Promise<RunningRole> {
  const limits = { ...defaultLimits, ...changedLimits };
  const log = new BoundedLog(logger);
  await using started = new AsyncDisposableStack();
  const open = (maxConnections: number) => {
    const { statementTimeout } = limits;
    const queryDeadline = statementTimeout + 1_000;
    const database = connect(url, { applicationName, maxConnections, statementTimeout, queryDeadline });
    started.defer(() => database.close());
    return database;
  };
  const database = open(5);
  await migrated;
  const instruments = gatewayInstruments(metrics);
  const backpressure = new Backpressure();
  /* Over its own connection: the acknowledgement of a heartbeat must not wait for ten thousand logins. */
  const { pool: statesPool } = open(1);
  const states = new DeviceStates({
    pool: statesPool,
    interval: limits.stateInterval,
    wait: limits.wait,
    onError: (error) => {
      instruments.statesFailed();
      log.write('warn', errorFields(error), 'device states not written');
    },
  });
  started.defer(() => states.close());
  const ingest = startIngest({
    url,
    applicationName,
    backpressure,
    log,
    limits,
    instruments: instruments.ingest,
  });
  started.defer(() => ingest.close());
  const { committer, storing } = ingest;
  const drain = async () => {
    await Promise.all([committer.drain(limits.drainDeadline), states.flush()]);
  };
  const gatewayId = randomUUID();
  const coverage = new JournalCoverage(database.kysely, log);
  started.defer(() => coverage.close());
  const units = await startBroker({
    gatewayId,
    config,
    limits,
    database,
    statesPool,
    receiver: new Receiver({ committer, states, coverage, instruments, log }),
    states,
    access: instruments.access,
    backpressure,
    log,
    logger,
  });
  started.defer(() => units.close(drain));
  instruments.watch({
    load: () => committer.load,
    isReading: () => !backpressure.isActive,
    connections: units.connections,
    unwrittenStates: () => states.size,
  });
  const background = startBackground({
    database,
    gatewayId,
    limits,
    log,
    isStoring: () => storing.problem() === undefined,
  });
  started.defer(() => background.close());
  const probe = async () =>
    (await canRead(database, ['crossing'])) ? undefined : 'the database does not answer';
  const running = started.move();
  return {
    ready: units.ready,
    problem: () => storing.readiness(probe),
    remark: units.remark,
    close: () => running.disposeAsync(),
  };
}
