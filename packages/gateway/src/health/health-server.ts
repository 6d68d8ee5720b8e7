import { createServer, type ServerResponse } from 'node:http';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { type Address, listen } from '@visitor-counter/service/listen';

/** Undefined when all is well, else what is missing. */
export type HealthCheck = () => Promise<string | undefined>;

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface HealthServerOptions {
  readonly address: Address;
  /** When the port is taken, take the next free one. */
  readonly anyPort: boolean;
  readonly check: HealthCheck;
}

/** Answers `GET /health`: 200 `{"status":"ok"}`, or 503 `{"status":"unavailable","reason":"…"}`. */
export async function startHealthServer({
  address,
  anyPort,
  check,
}: HealthServerOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const { pathname } = URL.parse(request.url ?? '', 'http://localhost') ?? {};
    if (pathname !== '/health') return answer(response, 404, { status: 'not found' });
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return answer(response, 405, { status: 'method not allowed' });
    }
    void check().then((reason) =>
      reason === undefined
        ? answer(response, 200, { status: 'ok' })
        : answer(response, 503, { status: 'unavailable', reason }),
    );
  });
  const port = await listenFrom(server, address, anyPort ? tries : 1);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** How many ports are tried from a default one on. */
const tries = 50;

async function listenFrom(
  server: ReturnType<typeof createServer>,
  address: Address,
  attempts: number,
): Promise<number> {
  try {
    return await listen(server, address);
  } catch (error) {
    if (attempts <= 1 || !(error instanceof ConfigurationError)) throw error;
    return listenFrom(server, { ...address, port: address.port + 1 }, attempts - 1);
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}
