import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface TestWebhook {
  readonly url: string;
  readonly received: readonly Received[];
  /** Sets the status of the following answers. */
  answer(status: number): void;
  /** Receives requests without answering, until `release`. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

/** A webhook that records its requests, on a free port or on the given one. */
export async function startWebhook(port = 0): Promise<TestWebhook> {
  const received: Received[] = [];
  let status = 204;
  let held: PromiseWithResolvers<void> | undefined;
  const server = createServer(async (request, response) => {
    /* The sender may break off its request. */
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
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
