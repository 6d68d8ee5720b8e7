import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';

const Stores = Type.Array(
  Type.Object({ StoreName: Type.String(), DateTime: Type.String(), Amount: Type.Integer() }),
);

export type StoreNow = Static<typeof Stores>[number];

const stores = Compile(Stores);

/** Asks the public interface for today's occupancy of every store, as an integrator would. */
export async function occupancyNow(
  serviceUrl: string,
  company: string,
  token: string,
  signal: AbortSignal,
): Promise<StoreNow[]> {
  const answer = await fetch(`${serviceUrl}/GetAllCountsByCompanyForTodayPublic`, {
    method: 'POST',
    body: new URLSearchParams({ CompanyName: company, Token: token }),
    signal,
  });
  if (!answer.ok) throw new Error(`the api answered with status ${answer.status}`);
  return stores.Parse(await answer.json());
}
