import { createServer, type ServerResponse } from 'node:http';
import { type Address, listenFrom } from './listen.ts';

/** The response of a path. */
export interface Page {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

interface OperatorServerOptions {
  readonly address: Address;
  /** By path, a function that makes the response to GET. */
  readonly pages: Readonly<Record<string, () => Promise<Page>>>;
  /** The longest time in which a caller must send its request (ms). */
  readonly requestTimeout?: number;
}

interface OperatorServer {
  readonly port: number;
  close(): Promise<void>;
}

/** The most connections at a time; an operator needs no more. */
const maxConnections = 100;

/** An HTTP server for the operator of the process: its health and its metrics. */
export async function startOperatorServer(options: OperatorServerOptions): Promise<OperatorServer> {
  const pages = new Map(Object.entries(options.pages));
  const { requestTimeout = 10_000 } = options;
  /* Node's default checking interval is 30 s. */
  const connectionsCheckingInterval = Math.ceil(requestTimeout / 10);
  const server = createServer({ requestTimeout, connectionsCheckingInterval }, (request, response) => {
    const { pathname } = URL.parse(request.url ?? '', 'http://localhost') ?? {};
    const page = pages.get(pathname ?? '');
    if (page === undefined) return answer(response, jsonPage(404, { status: 'not found' }));
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return answer(response, jsonPage(405, { status: 'method not allowed' }));
    }
    page().then(
      (made) => answer(response, made),
      () => answer(response, jsonPage(500, { status: 'failed' })),
    );
  });
  server.maxConnections = maxConnections;
  const port = await listenFrom(server, options.address);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function jsonPage(status: number, body: object): Page {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}

function answer(response: ServerResponse, { status, type, body }: Page): void {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}
