import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { json } from 'node:stream/consumers';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';

const Stores = Type.Array(
  Type.Object({ StoreName: Type.String(), DateTime: Type.String(), Amount: Type.Integer() }),
);

export type StoreNow = Static<typeof Stores>[number];

const stores = Compile(Stores);

/**
 * Requests today's occupancy of every store from the public interface, as an integrator would. The api is a process of
 * this demonstration on this machine, so its certificate is not verified: it may be for another name and of a CA that is
 * not known here.
 */
export async function occupancyNow(
  serviceUrl: string,
  company: string,
  token: string,
  signal: AbortSignal,
): Promise<StoreNow[]> {
  const form = new URLSearchParams({ CompanyName: company, Token: token }).toString();
  const url = `${serviceUrl}/GetAllCountsByCompanyForTodayPublic`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const options = { method: 'POST', headers, signal };
  const outgoing = url.startsWith('https:')
    ? secureRequest(url, { ...options, rejectUnauthorized: false })
    : request(url, options);
  const [answer]: IncomingMessage[] = await once(outgoing.end(form), 'response');
  if (answer?.statusCode !== 200) throw new Error(`the api answered with status ${answer?.statusCode}`);
  return stores.Parse(await json(answer));
}
