import { expect, onTestFinished } from 'vitest';
import { seed } from './seed.ts';
import { startService, untilReady } from './service-process.ts';
import type { AtEnd } from './started-once.ts';
import { databaseOfFile } from './test-database.ts';

export type ServedCompany = Awaited<ReturnType<typeof servedCompany>>;

export interface Call {
  readonly operation: string;
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
}

const company = { CompanyName: 'Bath & Body' };
const counts = { ...company, Token: 'token-of-the-company' };
const range = { DateFrom: '2025-11-20', DateTo: '2025-11-20' };
const authorization = 'key-of-the-company';
const storeName = 'Tür <1> "日本" \u{1f6aa}';

/** Each operation, with and without its optional parameters. */
export const calls: readonly Call[] = [
  { operation: 'GetLifeSignalInactive', parameters: { ...company, InactiveForHours: 0.5 } },
  { operation: 'GetAllCountsByCompanyForTodayPublic', parameters: counts },
  {
    operation: 'GetCountsByShopGroupAndDatePublic',
    parameters: { ...counts, ShopGroupName: 'West', ...range, In: true },
  },
  {
    operation: 'GetCountsBySerialNumberAndDatePublic',
    parameters: { ...counts, SerialNumber: 'CU-0001', ...range, In: false },
  },
  { operation: 'GetCountsByCompanyAndDatePublic', parameters: { ...counts, ...range } },
  {
    operation: 'GetCountsByCompanyAndDatePublic',
    parameters: { ...counts, ...range, SerialNumber: 'CU-0002' },
  },
];

/** Invalid calls, and the error code of each. */
export const mistakes: readonly (Call & { readonly code: string })[] = [
  {
    operation: 'GetCountsByCompanyAndDatePublic',
    parameters: { ...counts, ...range, Token: 'wrong' },
    code: 'invalid_credential',
  },
  {
    operation: 'GetCountsByCompanyAndDatePublic',
    parameters: { ...counts, ...range, DateTo: '' },
    code: 'missing_parameter',
  },
];

const events = [
  { DateTime: Date.parse('2025-11-20T09:15:30.123Z'), StoreName: storeName, Amount: 1 },
  { DateTime: Date.parse('2025-11-20T09:16:00Z'), StoreName: storeName, Amount: 2 },
  { DateTime: Date.parse('2025-11-20T09:17:00Z'), StoreName: storeName, Amount: 1 },
];

/**
 * The responses of the calls, with instants as epoch ms: some clients return instants in a zone of their own.
 */
export const answers: readonly (readonly object[])[] = [
  [
    {
      Id: 2,
      SerialNumber: 'CU-0002',
      Name: 'CU-0002',
      LastActivity: Date.parse('2025-11-19T06:00:00Z'),
      SID: 'S-1',
      ShopName: storeName,
      Address: '1 High St',
      City: 'Irvine',
      CompanyId: 1,
    },
  ],
  [{ DateTime: expect.any(Number), StoreName: storeName, Amount: 0 }],
  events.slice(0, 2),
  events.slice(2),
  events,
  [],
];

/** A company with crossings, and a real api process that serves them, for the test that runs, or for all tests of a file. */
export async function servedCompany(atEnd: AtEnd = onTestFinished) {
  const databaseUrl = await databaseOfFile(atEnd);
  await fill(databaseUrl, atEnd);
  const api = await startService('api', [], { DATABASE_URL: databaseUrl, HTTP_PORT: '0', METRICS_PORT: '0' });
  atEnd(async () => void (await api.stop()));
  await untilReady(api);
  const wsdl = `http://127.0.0.1:${api.ready['httpPort']}/public/Service.asmx?WSDL`;
  /* The authorization is for `GetLifeSignalInactive`. */
  return { wsdl, authorization, api };
}

async function fill(databaseUrl: string, atEnd: AtEnd): Promise<void> {
  const seeded = seed(databaseUrl, atEnd);
  const companyId = await seeded.company(company.CompanyName);
  const storeId = await seeded.store({ companyId, sid: 'S-1', name: storeName, timeZone: 'Europe/Berlin' });
  const registeredAt = Date.parse('2025-11-19T06:00:00Z');
  const lastActivityAt = Date.now();
  const deviceId = await seeded.device({ companyId, storeId, serial: 'CU-0001', lastActivityAt });
  await seeded.device({ companyId, storeId, serial: 'CU-0002', registeredAt });
  await seeded.shopGroup(companyId, 'West', [storeId]);
  await seeded.credential({ companyId, kind: 'counts', value: counts.Token });
  await seeded.credential({ companyId, kind: 'life-signal', value: authorization });
  const journalId = await seeded.journal(deviceId, 'journal-a');
  const directions = [1, 1, -1] as const;
  await seeded.crossings(
    directions.map((direction, index) => ({
      journalId,
      deviceId,
      storeId,
      direction,
      sequence: index + 1,
      at: events[index]?.DateTime ?? 0,
    })),
  );
}

/** A record as a client returned it, with its instants as epoch ms. */
export function withEpochMs(record: object): object {
  const instants = new Set(['DateTime', 'LastActivity']);
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      instants.has(name) ? new Date(value).getTime() : value,
    ]),
  );
}
