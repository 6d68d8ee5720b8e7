import { type Api, credentials } from '../api/start-api-program.ts';
import { companyName, countsToken } from '../shared/company.ts';
import { median } from '../shared/median.ts';
import { lastDay, lastHour, lifeSignalKey, threeDays } from './growth-workload.ts';

/** A request of the interface whose answer has the same size in every workload. */
export interface ReaderOfHistory {
  readonly name: string;
  /** Requests in a round. */
  readonly requests: number;
  ask(api: Api): Promise<void>;
}

const oneDay = { DateFrom: lastDay, DateTo: lastDay };

export const readers: readonly ReaderOfHistory[] = [
  operation('inactive devices', 40, 'GetLifeSignalInactive', {
    CompanyName: companyName,
    InactiveForHours: '24',
  }),
  operation('today of 200 stores', 100, 'GetAllCountsByCompanyForTodayPublic', credentials),
  operation('a day of the company, 200,000 events', 3, 'GetCountsByCompanyAndDatePublic', {
    ...credentials,
    ...oneDay,
  }),
  operation('a day of a shop group, 10,000 events', 20, 'GetCountsByShopGroupAndDatePublic', {
    ...credentials,
    ...oneDay,
    ShopGroupName: 'Ten',
  }),
  operation('a day of a device, 1,000 events', 60, 'GetCountsBySerialNumberAndDatePublic', {
    ...credentials,
    ...oneDay,
    SerialNumber: 'CU-7',
  }),
  page('/v1/stores', 40, () => '/v1/stores'),
  page('/v1/devices', 20, () => '/v1/devices'),
  page('/v1/occupancy', 40, () => '/v1/occupancy'),
  page('/v1/counts, hours of a day', 5, () => `/v1/counts?bucket=hour&from=${lastDay}&to=${lastDay}`),
  page('/v1/counts, three days', 5, () => `/v1/counts?bucket=day&from=${threeDays.from}&to=${threeDays.to}`),
  page('/v1/counts, three days by device', 5, () => {
    return `/v1/counts?bucket=day&by=device&from=${threeDays.from}&to=${threeDays.to}`;
  }),
  page('/v1/crossings, 10,000 from an instant', 20, () => `/v1/crossings?limit=10000&from=${lastHour}`),
  endOfCrossings(),
];

function operation(
  name: string,
  requests: number,
  of: string,
  fields: Readonly<Record<string, string>>,
): ReaderOfHistory {
  const ask = async (api: Api) => {
    await answerOf(api.url(of), {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { authorization: lifeSignalKey },
    });
  };
  return { name, requests, ask };
}

/** A GET request of `path` that names the credential of the benchmark. */
export function page(name: string, requests: number, path: () => string): ReaderOfHistory {
  return { name, requests, ask: async (api) => void (await read(api, path())) };
}

/** Requests of a reader that has read everything already. */
function endOfCrossings(): ReaderOfHistory {
  const cursors = new WeakMap<Api, string>();
  const ask = async (api: Api) => {
    const known = cursors.get(api);
    const answer: unknown = JSON.parse(
      await read(api, `/v1/crossings?limit=10000&${known ? `after=${known}` : `from=${lastHour}`}`),
    );
    const { next, more } = Object(answer);
    cursors.set(api, String(next));
    if (more === true) await ask(api);
  };
  return { name: '/v1/crossings, at the end', requests: 40, ask };
}

function read(api: Api, path: string): Promise<string> {
  return answerOf(new URL(path, api.url('')).href, { headers: { authorization: countsToken } });
}

async function answerOf(url: string, request: RequestInit): Promise<string> {
  const answer = await fetch(url, request);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${text.slice(0, 300)}`);
  return text;
}

/** The median time of an answer (ms), after two requests to warm up. */
export async function measureReader(api: Api, { ask, requests }: ReaderOfHistory): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < requests + 2; count += 1) {
    const begin = performance.now();
    await ask(api);
    if (count >= 2) times.push(performance.now() - begin);
  }
  return median(times);
}
