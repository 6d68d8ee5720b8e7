import type { Logger } from '@visitor-counter/service/logger';
import { type Metrics, startMetricsServer } from '@visitor-counter/service/metrics';
import { sayPort } from '@visitor-counter/service/operator-server';
import type { GatewayConfig } from './config.ts';
import { type HealthCheck, startHealthServer } from './health-server.ts';

export interface OperatorServersOptions {
  readonly config: GatewayConfig;
  readonly metrics: Metrics;
  readonly check: HealthCheck;
  readonly log: Logger;
}

/** What an operator asks the gateway, each on a port of its own: how it is, and what it counts. */
export async function startOperatorServers({ config, metrics, check, log }: OperatorServersOptions): Promise<{
  ports: { healthPort: number; metricsPort: number };
  close: () => Promise<void>;
}> {
  const health = await startHealthServer({ address: config.health, anyPort: config.anyHealthPort, check });
  sayPort(log, 'the health check is', config.health, health.port);
  try {
    const measured = await startMetricsServer(metrics, config.metrics, config.anyMetricsPort);
    sayPort(log, 'the metrics are', config.metrics, measured.port);
    return {
      ports: { healthPort: health.port, metricsPort: measured.port },
      close: async () => {
        await measured.close();
        await health.close();
      },
    };
  } catch (error) {
    await health.close();
    throw error;
  }
}
