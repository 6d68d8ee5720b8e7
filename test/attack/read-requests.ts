import { addDays, localDateAt } from '@visitor-counter/domain/time-zone';

/** A read request of a user. */
export interface ReadRequest {
  readonly path: string;
  readonly init: RequestInit;
}

/** The credentials of the attacked company. */
export const credentials = {
  counts: 'the-counts-token-of-acme',
  lifeSignal: 'the-life-signal-key-of-acme',
  staff: 'the-staff-token-of-acme',
};

/** The requests that show heartbeats; they are sent after each message. */
export function readHealth(): ReadRequest[] {
  const headers = { authorization: `Bearer ${credentials.counts}` };
  return [
    ...['/v1/devices', '/v1/occupancy', '/v1/counts?bucket=day'].map((path) => ({ path, init: { headers } })),
    callOf('GetLifeSignalInactive', { InactiveForHours: '0.0001' }, 'application/json'),
  ];
}

/** All read requests, except the live stream. */
export function readEverything(): ReadRequest[] {
  const today = localDateAt(Date.now(), 'UTC');
  const range = { DateFrom: addDays(today, -420), DateTo: addDays(today, 2) };
  const calls: [operation: string, fields: Record<string, string>][] = [
    ['GetLifeSignalInactive', { InactiveForHours: '0.0001' }],
    ['GetAllCountsByCompanyForTodayPublic', {}],
    ['GetCountsByShopGroupAndDatePublic', { ...range, ShopGroupName: 'Group' }],
    ['GetCountsBySerialNumberAndDatePublic', { ...range, SerialNumber: 'CU-1' }],
    ['GetCountsByCompanyAndDatePublic', { ...range, DateFrom: '2000-01-01', In: 'true' }],
  ];
  const formats = ['application/json', 'text/xml', 'text/csv'];
  const operations = calls.flatMap(([operation, fields]) =>
    formats.map((accept) => callOf(operation, fields, accept)),
  );
  const days = `from=${addDays(today, -90)}&to=${today}`;
  const v1 = [
    ...['stores', 'stores/S-1', 'devices', 'occupancy', 'alerts', 'session', 'corrections?from=2000-01-01'],
    ...['alerts?from=2000-01-01T00:00:00Z', 'crossings?limit=10000', `counts?bucket=15min&${days}`],
    ...[`counts?bucket=15min&by=device&${days}`, `counts?bucket=day&by=group&${days}&compare=week`],
  ].map((path) => ({
    path: `/v1/${path}`,
    init: { headers: { authorization: `Bearer ${credentials.staff}` } },
  }));
  const others = ['/', '/health', '/ready', '/live', '/openapi.json'].map((path) => ({ path, init: {} }));
  return [...operations, ...v1, ...others];
}

function callOf(operation: string, fields: Record<string, string>, accept: string): ReadRequest {
  const { counts, lifeSignal } = credentials;
  return {
    path: `/public/Service.asmx/${operation}`,
    init: {
      method: 'POST',
      headers: { accept, authorization: lifeSignal },
      body: new URLSearchParams({ CompanyName: 'Acme', Token: counts, ...fields }),
    },
  };
}
