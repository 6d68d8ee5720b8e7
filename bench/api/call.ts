import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

/** The times of an answer (ms after the request). */
export interface Answered {
  readonly firstByte: number;
  readonly whole: number;
  readonly bytes: number;
}

/** Connections are persistent, like those of a program that polls. */
const agent = new Agent({ keepAlive: true });

/** Posts a form and counts the bytes of the answer; stops after the first byte on request. Fails on any status except 200. */
export async function call(
  url: string,
  fields: Readonly<Record<string, string>>,
  { headers = {}, onlyFirstByte = false }: { headers?: Record<string, string>; onlyFirstByte?: boolean } = {},
): Promise<Answered> {
  const begin = performance.now();
  const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
  const call = request(url, { method: 'POST', agent, headers: form });
  call.end(new URLSearchParams(fields).toString());
  const [answer]: [IncomingMessage] = await once(call, 'response').then(([first]) => [first]);
  let firstByte = Number.NaN;
  let bytes = 0;
  for await (const chunk of answer) {
    if (bytes === 0) firstByte = performance.now() - begin;
    bytes += Buffer.byteLength(chunk);
    if (onlyFirstByte) break;
  }
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode}`);
  return { firstByte, whole: performance.now() - begin, bytes };
}
