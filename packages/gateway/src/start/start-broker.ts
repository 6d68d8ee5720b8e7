import { randomUUID } from 'node:crypto';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Logger } from '@visitor-counter/service/logger';
import { Gate } from '../backpressure/backpressure.ts';
import { createBroker } from '../broker/create-broker.ts';
import { tellGatewayLife } from '../broker/gateway-lease.ts';
import type { CommitLimits } from '../ingest/group-committer.ts';
import { startIngest } from '../ingest/start-ingest.ts';
import { startCoverage } from '../journals/start-coverage.ts';
import { type MqttServer, startMqttServer } from '../listener/mqtt-server.ts';
import type { GatewayInstruments } from '../metrics/gateway-instruments.ts';
import type { GatewayConfig } from './config.ts';
import { startStates } from './start-states.ts';

/** Shown in pg_stat_activity. */
export const applicationName = 'visitor-counter gateway';

/**
 * How long a statement may take (ms): whoever waits for it still has some of their time left then. The server cancels it
 * first, since one that only the client has given up goes on waiting there, for a lock for example, and takes a connection.
 */
export const statementDeadlines = { statementTimeout: 5_000, queryDeadline: 6_000 };

/** Limits that tests set shorter. */
export interface GatewayLimits extends CommitLimits {
  /** How long a client is kept waiting for an answer to its login (ms). */
  readonly loginDeadline: number;
  /** How often the states of devices are written (ms). */
  readonly stateInterval: number;
  /** How often connections that must end, and open orders of units, are looked for (ms). */
  readonly sessionInterval: number;
  /** How long what this gateway says of its connections is believed after it was last heard of (ms). */
  readonly lease: number;
  /** How often certificates are looked at (ms). */
  readonly reloadInterval: number;
  /** How often missing crossings are looked for and requested (ms). */
  readonly recoveryInterval: number;
  /** How often it is judged whether stores count the wrong way round (ms). */
  readonly directionInterval: number;
}

export const defaultTimes = {
  loginDeadline: 5_000,
  stateInterval: 1_000,
  sessionInterval: 1_000,
  lease: 15_000,
  reloadInterval: 5_000,
  recoveryInterval: 2_000,
  directionInterval: 10_000,
};

/** How long the messages that were read may take to be stored when the gateway stops (ms). */
export const drainDeadline = 5_000;

export interface StartBrokerOptions {
  readonly config: GatewayConfig;
  readonly url: string;
  readonly database: Database;
  readonly log: Logger;
  readonly limits: Partial<GatewayLimits>;
  readonly instruments: GatewayInstruments;
}

/** Everything between the units, or another broker, and the database. */
export interface Started {
  readonly ready: Readonly<Record<string, unknown>>;
  /** Why the gateway is not ready; undefined when it is. `probe` asks the database. */
  readonly readiness: (probe: () => Promise<string | undefined>) => Promise<string | undefined>;
  /** Whether messages are stored, as far as is known. */
  readonly isStoring: () => boolean;
  readonly close: () => Promise<void>;
}

/**
 * Starts everything between the units' sockets and the database, whose schema is up to date. `close` stops
 * reading, stores what was read, ends the connections, and writes what is known of the devices.
 */
export async function startBroker({
  config,
  url,
  database,
  log,
  limits,
  instruments,
}: StartBrokerOptions): Promise<Started> {
  const { pool } = database;
  const { defence, ingest } = config;
  const { loginDeadline, sessionInterval, lease, reloadInterval } = { ...defaultTimes, ...limits };
  const gate = new Gate();
  const { states, pool: statesPool, close: closeStates } = startStates({ url, log, limits, instruments });
  const gatewayId = randomUUID();
  const life = tellGatewayLife({ pool: statesPool, gatewayId, lease, log });
  const {
    committer,
    storing,
    close: closeIngest,
  } = startIngest({
    ...{ url, applicationName, gate, log, limits, device: ingest, instruments: instruments.ingest },
  });
  const coverage = startCoverage({ pool, log });
  const broker = await createBroker({
    pool,
    gatewayId,
    committer,
    states,
    coverage,
    defence,
    maxAge: ingest.maxAge,
    loginDeadline,
    sessionInterval,
    instruments,
    log,
  });
  const close = async (server?: MqttServer) => {
    server?.stopReading();
    await broker.stopWatching();
    await Promise.all([committer.drain(drainDeadline), states.flush(), life.close()]);
    await server?.close();
    await coverage.close();
    await closeIngest();
    await closeStates();
  };
  try {
    const { plain, secure } = config;
    const server = await startMqttServer({
      broker: broker.aedes,
      gate,
      defence,
      plain,
      secure,
      reloadInterval,
      access: instruments.access,
      log,
    });
    instruments.watch({
      load: () => committer.load,
      isReading: () => gate.isOpen,
      connections: () => server.connections,
      unwrittenStates: () => states.size,
    });
    const ready = { mqttPort: server.port, mqttsPort: server.tlsPort };
    return {
      ready,
      readiness: (probe) => storing.readiness(probe),
      isStoring: () => storing.current() === undefined,
      close: () => close(server),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
