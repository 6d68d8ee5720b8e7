import { randomUUID } from 'node:crypto';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Logger } from '@visitor-counter/service/logger';
import { Backpressure } from '../backpressure/backpressure.ts';
import { createBroker } from '../broker/create-broker.ts';
import { renewLease } from '../broker/session-watch.ts';
import type { CommitLimits } from '../ingest/group-committer.ts';
import { startIngest } from '../ingest/start-ingest.ts';
import { JournalCoverage } from '../journals/journal-coverage.ts';
import { type MqttServer, startMqttServer } from '../listener/mqtt-server.ts';
import type { GatewayInstruments } from '../metrics/gateway-instruments.ts';
import type { GatewayConfig } from './config.ts';
import { startStates } from './start-states.ts';

/** Shown in pg_stat_activity. */
export const applicationName = 'visitor-counter gateway';

/**
 * Time limits of a statement (ms), so that its caller can still retry or answer. The server cancels it first: a statement
 * that only the client has abandoned would continue there, waiting for a lock for example, and occupy a connection.
 */
export const statementDeadlines = { statementTimeout: 5_000, queryDeadline: 6_000 };

/** Limits that tests set shorter. */
export interface GatewayLimits extends CommitLimits {
  /** Time limit for the answer to a login (ms). */
  readonly loginDeadline: number;
  /** Between two writes of device states (ms). */
  readonly stateInterval: number;
  /** Polling interval for connections that must end, and for open orders (ms). */
  readonly sessionInterval: number;
  /** How long the connections of this gateway count as open after its last lease renewal (ms). */
  readonly lease: number;
  /** Polling interval for changed certificates (ms). */
  readonly reloadInterval: number;
  /** From one search for missing crossings to the next (ms). */
  readonly recoveryInterval: number;
  /** From one evaluation of the stores' directions to the next (ms). */
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

/** Time limit for storing the messages already read when the gateway stops (ms). */
export const drainDeadline = 5_000;

export interface StartBrokerOptions {
  readonly config: GatewayConfig;
  readonly url: string;
  readonly database: Database;
  readonly log: Logger;
  readonly limits: Partial<GatewayLimits>;
  readonly instruments: GatewayInstruments;
}

/** The running parts between the units, or an external broker, and the database. */
export interface Started {
  readonly ready: Readonly<Record<string, unknown>>;
  /** Why the gateway is not ready; undefined when it is. `probe` queries the database. */
  readonly readiness: (probe: () => Promise<string | undefined>) => Promise<string | undefined>;
  /** Whether messages are stored, as far as the last transactions show. */
  readonly isStoring: () => boolean;
  readonly close: () => Promise<void>;
}

/**
 * Starts everything between the units' sockets and the database, whose schema is up to date. `close` stops reading,
 * stores the messages already read, closes the connections, and writes the states of devices.
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
  const { listener, ingest } = config;
  const { loginDeadline, sessionInterval, lease, reloadInterval } = { ...defaultTimes, ...limits };
  const backpressure = new Backpressure();
  const { states, pool: statesPool, close: closeStates } = startStates({ url, log, limits, instruments });
  const gatewayId = randomUUID();
  const leaseRenewal = renewLease({ pool: statesPool, gatewayId, lease, log });
  const {
    committer,
    storing,
    close: closeIngest,
  } = startIngest({
    ...{ url, applicationName, backpressure, log, limits, device: ingest, instruments: instruments.ingest },
  });
  const coverage = new JournalCoverage({ pool, log });
  const broker = await createBroker({
    pool,
    gatewayId,
    committer,
    states,
    coverage,
    limits: listener,
    maxAge: ingest.maxAge,
    loginDeadline,
    sessionInterval,
    instruments,
    log,
  });
  const close = async (server?: MqttServer) => {
    server?.stopReading();
    await broker.stopWatching();
    await Promise.all([committer.drain(drainDeadline), states.flush(), leaseRenewal.close()]);
    await server?.close();
    await coverage.close();
    await closeIngest();
    await closeStates();
  };
  try {
    const { plain, secure } = config;
    const server = await startMqttServer({
      broker: broker.aedes,
      backpressure,
      limits: listener,
      plain,
      secure,
      reloadInterval,
      access: instruments.access,
      log,
    });
    instruments.watch({
      load: () => committer.load,
      isReading: () => !backpressure.isActive,
      connections: () => server.connections,
      unwrittenStates: () => states.size,
    });
    const ready = { mqttPort: server.port, mqttsPort: server.tlsPort };
    return {
      ready,
      readiness: (probe) => storing.readiness(probe),
      isStoring: () => storing.problem() === undefined,
      close: () => close(server),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
