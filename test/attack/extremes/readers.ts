import { addDays, localDateAt } from '@visitor-counter/domain/time-zone';
import type { AttackedCompany } from './world.ts';

/** A read request of a user. */
export interface ReadRequest {
  readonly name: string;
  readonly path: string;
  readonly init: RequestInit;
}

const formats = ['application/json', 'text/xml', 'text/csv'] as const;

/** The requests that show heartbeats; they are sent after each heartbeat. */
export function readHealth({ name, counts, lifeSignal }: AttackedCompany): ReadRequest[] {
  const paths = ['/v1/devices', '/v1/occupancy', '/v1/counts?bucket=day'];
  const inactive = new URLSearchParams({ CompanyName: name, InactiveForHours: '0.0001' });
  return [
    ...paths.map((path) => ({ name: path, path, init: { headers: { authorization: `Bearer ${counts}` } } })),
    {
      name: 'GetLifeSignalInactive',
      path: '/public/Service.asmx/GetLifeSignalInactive',
      init: { method: 'POST', headers: { authorization: lifeSignal }, body: inactive },
    },
  ];
}

/** All read requests of a company at an instant (epoch ms), except the live stream. */
export function readRequests(company: AttackedCompany, now: number): ReadRequest[] {
  return [...operations(company, now), ...ofV1(company, now), ...ofPage()];
}

function operations({ name, counts, lifeSignal }: AttackedCompany, now: number): ReadRequest[] {
  const today = localDateAt(now, 'UTC');
  const range = { DateFrom: addDays(today, -420), DateTo: addDays(today, 2) };
  const account = { CompanyName: name, Token: counts };
  const calls: [string, Record<string, string>][] = [
    ['GetLifeSignalInactive', { CompanyName: name, InactiveForHours: '0.0001' }],
    ['GetAllCountsByCompanyForTodayPublic', account],
    ['GetCountsByShopGroupAndDatePublic', { ...account, ...range, ShopGroupName: 'Group' }],
    [
      'GetCountsBySerialNumberAndDatePublic',
      { ...account, ...range, SerialNumber: name === 'Acme' ? 'CU-1' : 'CU-3' },
    ],
    ['GetCountsByCompanyAndDatePublic', { ...account, ...range, DateFrom: '2000-01-01', In: 'true' }],
  ];
  return calls.flatMap(([operation, fields]) =>
    formats.map((accept) => ({
      name: `${operation} as ${accept}`,
      path: `/public/Service.asmx/${operation}`,
      init: {
        method: 'POST',
        headers: { accept, authorization: lifeSignal },
        body: new URLSearchParams(fields),
      },
    })),
  );
}

function ofV1({ counts, lifeSignal, staff }: AttackedCompany, now: number): ReadRequest[] {
  const today = localDateAt(now, 'UTC');
  const from = `from=${addDays(today, -90)}&to=${today}`;
  const paths = [
    '/v1/stores',
    '/v1/stores/S-1',
    '/v1/devices',
    '/v1/occupancy',
    '/v1/alerts',
    '/v1/session',
    '/v1/alerts?from=2000-01-01T00:00:00Z',
    '/v1/corrections?from=2000-01-01',
    '/v1/crossings?limit=10000',
    `/v1/counts?bucket=15min&${from}`,
    `/v1/counts?bucket=15min&by=device&${from}`,
    `/v1/counts?bucket=day&by=group&${from}&compare=week`,
    '/v1/counts?compare=week',
  ];
  return paths.flatMap((path) =>
    [counts, staff, lifeSignal].flatMap((credential) =>
      ['application/json', 'text/csv'].map((accept) => ({
        name: `${path} as ${accept}`,
        path,
        init: { headers: { accept, authorization: `Bearer ${credential}` } },
      })),
    ),
  );
}

function ofPage(): ReadRequest[] {
  return ['/', '/health', '/ready', '/live', '/public/Service.asmx', '/openapi.json'].map((path) => ({
    name: path,
    path,
    init: {},
  }));
}
