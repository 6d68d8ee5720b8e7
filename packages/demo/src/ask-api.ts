import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { json } from 'node:stream/consumers';

/**
 * The answer of the api. It is a process of this demonstration on this machine, so its certificate is not verified: it may be
 * for another name and of a CA that is not known here. Throws unless the status is 200.
 */
export async function askApi(url: string, options: RequestOptions, body?: string): Promise<unknown> {
  const outgoing = url.startsWith('https:')
    ? secureRequest(url, { ...options, rejectUnauthorized: false })
    : request(url, options);
  const [answer]: IncomingMessage[] = await once(outgoing.end(body), 'response');
  if (answer?.statusCode !== 200) throw new Error(`the api answered with status ${answer?.statusCode}`);
  return await json(answer);
}
