import { deleteDeadGateways, renewGatewayLease } from '@visitor-counter/database/devices/connections';
import type { Database } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';
import type { Backpressure } from '../backpressure/backpressure.ts';
import { createBroker } from '../broker/create-broker.ts';
import type { DeviceStates } from '../devices/device-states.ts';
import type { Receiver } from '../ingest/receive.ts';
import { startMqttServer } from '../listener/mqtt-server.ts';
import type { AccessInstruments } from '../metrics/gateway-instruments.ts';
import type { GatewayConfig, GatewayLimits } from './config.ts';

interface StartBrokerOptions {
  readonly receiver: Receiver;
  readonly states: DeviceStates;
  readonly access: AccessInstruments;
  /** New for each process: a restarted gateway has none of the connections of the one before. */
  readonly gatewayId: string;
  readonly config: GatewayConfig;
  readonly limits: GatewayLimits;
  readonly database: Database;
  readonly statesPool: Database['pool'];
  readonly backpressure: Backpressure;
  readonly log: BoundedLog;
  readonly logger: Logger;
}

/** The running broker. */
interface RunningBroker {
  readonly ready: { readonly mqttPort: number | undefined; readonly mqttsPort: number | undefined };
  readonly connections: () => number;
  readonly remark: () => string | undefined;
  /** Reads nothing more, waits for `drain`, and closes all connections. */
  readonly close: (drain: () => Promise<unknown>) => Promise<void>;
}

/** Starts the broker of the units. Throws ConfigurationError when a port or a certificate cannot be used. */
export async function startBroker(options: StartBrokerOptions): Promise<RunningBroker> {
  const { config, database, gatewayId, limits, receiver, states, access, log } = options;
  await using started = new AsyncDisposableStack();
  const lease = renewLease(options);
  started.defer(() => lease.close());
  const broker = await createBroker({
    pool: database.pool,
    gatewayId,
    receiver,
    states,
    access,
    log,
    limits: config.listener,
    loginDeadline: limits.loginDeadline,
    sessionInterval: limits.sessionInterval,
  });
  started.defer(() => broker.stopWatching());
  const server = await startMqttServer({
    broker: broker.aedes,
    backpressure: options.backpressure,
    log: options.logger,
    limits: config.listener,
    plain: config.plain,
    secure: config.secure,
    reloadInterval: limits.reloadInterval,
    access,
  });
  started.move();
  return {
    ready: { mqttPort: server.port, mqttsPort: server.tlsPort },
    connections: () => server.connections,
    remark: broker.remark,
    close: async (drain) => {
      server.stopReading();
      await broker.stopWatching();
      await Promise.all([drain(), lease.close()]);
      await server.close();
    },
  };
}

/** Renewals per lease, so that all but one of them may fail. */
const renewals = 7;

/**
 * Renews this gateway's lease in the database until it is closed: devices are online while the lease of their gateway
 * is valid. Closing does not end the lease: a stopping gateway writes its units offline, and those that it could not
 * write are offline when the lease expires.
 */
function renewLease({ statesPool: pool, gatewayId, limits, log }: StartBrokerOptions): Repetition {
  let hasCleaned = false;
  const renew = async () => {
    await renewGatewayLease(pool, gatewayId, limits.lease);
    if (!hasCleaned) await deleteDeadGateways(pool);
    hasCleaned = true;
  };
  const onError = (error: unknown) => log.write('warn', errorFields(error), 'gateway lease not renewed');
  return repeat(limits.lease / renewals, renew, onError);
}
