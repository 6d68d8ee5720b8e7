import { canRead } from '@visitor-counter/database/sql/can-read';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Logger } from '@visitor-counter/service/logger';
import type { Metrics } from '@visitor-counter/service/metrics';
import {
  jsonPage,
  type OperatorServer,
  sayPort,
  startOperatorServer,
} from '@visitor-counter/service/operator-server';
import type { AlertsConfig } from './config.ts';

/** `/metrics`, `/live`, and `/ready`, which is 503 while alerts cannot be read from the database, on one port. */
export async function startOperatorPages(
  { metrics: address, anyMetricsPort: anyPort }: AlertsConfig,
  registry: Metrics,
  database: Database,
  log: Logger,
): Promise<OperatorServer> {
  const ready = async () => {
    const ok = await canRead(database, ['alert']);
    return jsonPage(ok ? 200 : 503, { status: ok ? 'ok' : 'unavailable' });
  };
  const pages = {
    '/metrics': async () => ({ status: 200, type: registry.contentType, body: await registry.metrics() }),
    '/live': async () => jsonPage(200, { status: 'ok' }),
    '/ready': ready,
    '/health': ready,
  };
  const server = await startOperatorServer({ address, anyPort, pages });
  sayPort(log, 'metrics and health are', address, server.port);
  return server;
}
