import type { Address } from '@visitor-counter/service/listen';
import { jsonPage, type OperatorServer, startOperatorServer } from '@visitor-counter/service/operator-server';

/** Undefined when all is well, else what is missing. */
export type HealthCheck = () => Promise<string | undefined>;

export interface HealthServerOptions {
  readonly address: Address;
  /** When the port is taken, take the next free one. */
  readonly anyPort: boolean;
  readonly check: HealthCheck;
}

/**
 * Answers `GET /ready`, and `GET /health` alike: 200 `{"status":"ok"}`, or 503
 * `{"status":"unavailable","reason":"…"}`. `GET /live` is 200 as long as the process can answer at all: who
 * restarts what does not live must not restart a gateway because the database is away.
 */
export function startHealthServer({ address, anyPort, check }: HealthServerOptions): Promise<OperatorServer> {
  const ready = async () => {
    const reason = await check();
    return reason === undefined
      ? jsonPage(200, { status: 'ok' })
      : jsonPage(503, { status: 'unavailable', reason });
  };
  const live = async () => jsonPage(200, { status: 'ok' });
  return startOperatorServer({
    address,
    anyPort,
    pages: { '/live': live, '/ready': ready, '/health': ready },
  });
}
