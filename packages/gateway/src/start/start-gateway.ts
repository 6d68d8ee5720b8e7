import { randomUUID } from 'node:crypto';
import { canRead, connect } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { RoleContext, RunningRole } from '@visitor-counter/service/roles';
import { Backpressure } from '../backpressure/backpressure.ts';
import { createBroker } from '../broker/create-broker.ts';
import { DeviceStates } from '../devices/device-states.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { receiver } from '../ingest/receive.ts';
import { startIngest } from '../ingest/start-ingest.ts';
import { type ListenerConfig, startMqttServer } from '../listener/mqtt-server.ts';
import { gatewayInstruments } from '../metrics/gateway-instruments.ts';
import { startBackground } from './background.ts';
import { defaultLimits, type GatewayLimits } from './config.ts';

/** Shown in pg_stat_activity. */
const applicationName = 'visitor-counter gateway';

/**
 * Starts everything between the units and the database, once the schema is up to date. `ready` contains `mqttPort` and
 * `mqttsPort`. Closing stops reading, stores the messages already read, closes the connections, and writes the states of
 * devices.
 */
export async function startGateway(
  config: ListenerConfig,
  { databaseUrl: url, migrated, log: ownLog, metrics }: RoleContext,
  changedLimits: Partial<GatewayLimits> = {},
): Promise<RunningRole> {
  const limits = { ...config.listener, ...defaultLimits, ...changedLimits };
  const log = new BoundedLog(ownLog);
  await using started = new AsyncDisposableStack();
  const open = (maxConnections: number) => {
    const { statementTimeout } = limits;
    const queryDeadline = statementTimeout + 1_000;
    const options = { applicationName, maxConnections, statementTimeout, queryDeadline, prepared: true };
    const database = connect(url, options);
    started.defer(() => database.close());
    return database;
  };
  const database = open(5);
  await migrated;
  const { kysely: db } = database;
  /* Over its own connection: the acknowledgement of a heartbeat must not wait for ten thousand logins. */
  const { kysely: statesDb } = open(1);
  const instruments = gatewayInstruments(metrics);
  const backpressure = new Backpressure();
  /* New for each process: a restarted gateway has none of the connections of the one before. */
  const gatewayId = randomUUID();
  const parts: GatewayParts = { db, gatewayId, limits, backpressure, instruments, log, ownLog };
  const states = new DeviceStates({
    db: statesDb,
    gatewayId,
    interval: limits.stateInterval,
    onError: (error) => {
      instruments.statesFailed();
      log.write('warn', errorFields(error), 'device states not written');
    },
  });
  started.defer(() => states.close());
  const ingest = startIngest(url, applicationName, parts);
  started.defer(() => ingest.close());
  const { committer } = ingest;
  const isStoring = () => ingest.problem() === undefined;
  const background = startBackground({ ...parts, statesDb, isStoring });
  started.defer(() => background.close());
  const receive = receiver({ ...parts, committer, states });
  const broker = await createBroker(parts, states, receive);
  started.defer(() => broker.stopWatching());
  const server = await startMqttServer(broker.aedes, config, parts);
  started.defer(async () => {
    server.stopReading();
    await broker.stopWatching();
    await Promise.all([committer.drain(limits.drainDeadline), states.flush()]);
    await server.close();
  });
  instruments.watch({
    load: () => committer.load,
    isReading: () => !backpressure.isActive,
    connections: () => server.connections,
    unwrittenStates: () => states.size,
  });
  const probe = async () =>
    (await canRead(database, ['crossing'])) ? undefined : 'the database does not answer';
  const running = started.move();
  return {
    ready: { mqttPort: server.port, mqttsPort: server.tlsPort },
    problem: () => ingest.readiness(probe),
    remark: broker.remark,
    close: () => running.disposeAsync(),
  };
}
