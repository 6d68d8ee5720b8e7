import { randomUUID } from 'node:crypto';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Logger } from '@visitor-counter/service/logger';
import type { Backpressure } from '../backpressure/backpressure.ts';
import { createBroker } from '../broker/create-broker.ts';
import { renewLease } from '../broker/gateway-lease.ts';
import type { UnitConnections } from '../external/start-external.ts';
import type { ReceiverParts } from '../ingest/receive.ts';
import { JournalCoverage } from '../journals/journal-coverage.ts';
import { startMqttServer } from '../listener/mqtt-server.ts';
import type { GatewayConfig, GatewayLimits } from './config.ts';

export interface StartBrokerOptions extends ReceiverParts {
  readonly config: GatewayConfig;
  readonly limits: GatewayLimits;
  readonly pool: Database['pool'];
  readonly statesPool: Database['pool'];
  readonly backpressure: Backpressure;
  readonly logger: Logger;
}

/** Starts the broker of the units. Throws ConfigurationError when a port or a certificate cannot be used. */
export async function startBroker(options: StartBrokerOptions): Promise<UnitConnections> {
  const { config, limits, pool, statesPool, instruments, log } = options;
  await using started = new AsyncDisposableStack();
  const gatewayId = randomUUID();
  const lease = renewLease({ pool: statesPool, gatewayId, lease: limits.lease, log });
  started.defer(() => lease.close());
  const coverage = new JournalCoverage({ pool, log });
  started.defer(() => coverage.close());
  const broker = await createBroker({
    ...{ ...options, gatewayId, coverage, limits: config.listener },
    ...{ loginDeadline: limits.loginDeadline, sessionInterval: limits.sessionInterval },
  });
  started.defer(() => broker.stopWatching());
  const server = await startMqttServer({
    ...{ broker: broker.aedes, backpressure: options.backpressure, log: options.logger },
    ...{ limits: config.listener, plain: config.plain, secure: config.secure },
    ...{ reloadInterval: limits.reloadInterval, access: instruments.access },
  });
  started.move();
  return {
    ready: { mqttPort: server.port, mqttsPort: server.tlsPort },
    connections: () => server.connections,
    problem: () => undefined,
    close: async (drain) => {
      server.stopReading();
      await broker.stopWatching();
      await Promise.all([drain(), lease.close()]);
      await server.close();
      await coverage.close();
    },
  };
}
