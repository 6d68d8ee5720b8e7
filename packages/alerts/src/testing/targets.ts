import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface TestWebhook {
  readonly url: string;
  readonly received: readonly Received[];
  /** The status it answers from now on. */
  answer(status: number): void;
  /** From now on it takes what it is sent and does not answer, until it is released. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

/** A webhook that keeps what it is sent; on a port of its choice, or on one that it had before. */
export async function startWebhook(port = 0): Promise<TestWebhook> {
  const received: Received[] = [];
  let status = 204;
  let held: PromiseWithResolvers<void> | undefined;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    received.push({ headers: request.headers, body: body.toString() });
    await held?.promise;
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}/hook`,
    received,
    answer: (next) => {
      status = next;
    },
    hold: () => {
      held = Promise.withResolvers();
    },
    release: () => held?.resolve(),
    close,
  };
}
