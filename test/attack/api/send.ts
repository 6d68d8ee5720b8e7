import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Exchange } from '@visitor-counter/api/test/conformity';

/** A request as it goes over the wire. */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Sends a request to a port of this machine. */
export async function send(port: number, { method, path, headers, body }: FuzzRequest): Promise<Exchange> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const all = { ...headers, 'content-length': String(body.length) };
    const options = { host: '127.0.0.1', port, method, path: encoded(path), headers: all, agent: false };
    httpRequest(options, resolve).on('error', reject).end(body);
  });
  const answered = Object.entries(answer.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return {
    method,
    path: path.split('?', 1)[0] ?? '',
    status: answer.statusCode ?? 0,
    headers: new Headers(answered),
    text: await bodyOf(answer),
  };
}

/** The whole body, or the beginning of an endless stream. */
async function bodyOf(answer: IncomingMessage): Promise<string> {
  if (!answer.headers['content-type']?.startsWith('text/event-stream')) return await text(answer);
  for await (const chunk of answer) return String(chunk);
  return '';
}

/** A request line has visible ASCII only. */
function encoded(path: string): string {
  return path.replace(/[^!-~]/g, (character) => encodeURIComponent(character.toWellFormed()));
}
