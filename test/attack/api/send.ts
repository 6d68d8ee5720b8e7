import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Exchange } from '@visitor-counter/api/test/conformity';
import type { FuzzRequest } from './fuzz-request.ts';

/** Sends requests to a port on persistent connections; `close` ends them. */
export interface Sender {
  send(request: FuzzRequest): Promise<Exchange>;
  close(): void;
}

export function sender(port: number): Sender {
  const agent = new Agent({ keepAlive: true });
  const attempt = ({ method, path, headers, body }: FuzzRequest) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const length = { 'content-length': String(body.length) };
      const outgoing = httpRequest(
        { agent, host: '127.0.0.1', port, method, path: encoded(path), headers: { ...headers, ...length } },
        resolve,
      );
      outgoing.on('error', (error) => reject(outgoing.reusedSocket ? new ReusedSocketError(error) : error));
      outgoing.end(body);
    });
  return {
    send: async (request) => {
      const answer = await attempt(request).catch((error: unknown) => {
        /* The server may end a persistent connection at any moment; the request is then repeated. */
        if (error instanceof ReusedSocketError) return attempt({ ...request });
        throw error;
      });
      const headers = new Headers(
        Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
      );
      const { method, path } = request;
      const body = await bodyOf(answer);
      return { method, path: pathOf(path), status: answer.statusCode ?? 0, headers, text: body };
    },
    close: () => agent.destroy(),
  };
}

/** The whole body, or the beginning of an endless stream. */
async function bodyOf(answer: IncomingMessage): Promise<string> {
  if (!answer.headers['content-type']?.startsWith('text/event-stream')) return await text(answer);
  for await (const chunk of answer) return String(chunk);
  return '';
}

class ReusedSocketError extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** A request line has visible ASCII only. */
function encoded(path: string): string {
  return path.replace(/[^!-~]/g, (character) => encodeURIComponent(character.toWellFormed()));
}

function pathOf(path: string): string {
  return path.split('?', 1)[0] ?? '';
}
