import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { answerTo } from '../../test/api-under-test.ts';
import {
  kinds,
  limitedWorld,
  type Place,
  places,
  type SentCredential,
  staffOf,
  tokenOf,
} from '../../test/limited-world.ts';
import { envelope, soapHeaders } from '../../test/soap.ts';
import { soap11 } from '../asmx/soap/soap-version.ts';

interface Attempt {
  /** By default that of the route. */
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: object;
  readonly soap?: readonly [operation: string, parameters: object];
  /** What the answer may repeat of the request. */
  readonly echo?: string;
}

const range = { DateFrom: '2026-11-01', DateTo: '2026-11-30' };
const asmx = '/public/Service.asmx';

/** A request about a place to an operation, with a token. */
const operation =
  (more: (place: Place) => Readonly<Record<string, string>>[]) =>
  (place: Place, { token }: SentCredential): Attempt[] =>
    more(place).map((fields) => ({ form: { CompanyName: 'Acme', Token: token, ...fields } }));

const none = () => [];
const once = () => [{}];
const ofStore = ({ sid }: Place) => [{}, { query: { store: sid } }];
const ofGroup = ({ group }: Place) => ['Everybody', group].map((name) => ({ query: { group: name } }));
const byMallory = (more: object) => [{ json: { ...more, by: 'Mallory' } }];

/** Every route of the interface, with a request about a store that is not the caller's. */
const attempts: Readonly<Record<string, (place: Place, sent: SentCredential) => Attempt[]>> = {
  [`post ${asmx}/GetLifeSignalInactive`]: operation(() => [{ InactiveForHours: '0.001' }]),
  [`post ${asmx}/GetAllCountsByCompanyForTodayPublic`]: operation(() => [{}]),
  [`post ${asmx}/GetCountsByShopGroupAndDatePublic`]: operation(({ group }) =>
    ['Everybody', group].map((ShopGroupName) => ({ ...range, ShopGroupName })),
  ),
  [`post ${asmx}/GetCountsBySerialNumberAndDatePublic`]: operation(({ serial }) =>
    ['moved', serial].map((SerialNumber) => ({ ...range, SerialNumber })),
  ),
  [`post ${asmx}/GetCountsByCompanyAndDatePublic`]: operation(({ serial }) => [
    range,
    { ...range, SerialNumber: 'moved' },
    { ...range, SerialNumber: serial },
  ]),
  [`post ${asmx}`]: ({ group }, { token: Token }) => {
    const inGroup = { Token, CompanyName: 'Acme', ShopGroupName: group, ...range };
    return [
      { soap: ['GetCountsByShopGroupAndDatePublic', inGroup] },
      { soap: ['GetAllCountsByCompanyForTodayPublic', { Token, CompanyName: 'Acme' }] },
    ];
  },
  [`get ${asmx}`]: once,
  'get /v1/session': once,
  'post /v1/session': () => [{ json: { token: 'somebody else' } }],
  'delete /v1/session': none,
  'get /v1/stores': once,
  'get /v1/stores/{sid}': ({ sid }) => [{ path: `/v1/stores/${sid}` }],
  'get /v1/devices': ofStore,
  'get /v1/occupancy': ofStore,
  'get /v1/counts': (place) =>
    ['store', 'device', 'group'].flatMap((by) =>
      [...ofStore(place), ...ofGroup(place)].map(({ query }) => ({ query: { by, bucket: 'day', ...query } })),
    ),
  'get /v1/visitors': (place) => [...ofStore(place), ...ofGroup(place)],
  'get /v1/visitors/week': ofStore,
  'get /v1/visitors/last-day': ofStore,
  'get /v1/visitors/doors': ({ sid }) => [{ query: { store: sid } }],
  'get /v1/visitors/stores': ({ group }) => [{}, { query: { group } }],
  'get /v1/crossings': ofStore,
  'get /v1/corrections': ofStore,
  'post /v1/corrections': ({ sid }) => byMallory({ store: sid, people: 99 }),
  'post /v1/corrections/{id}/undo': ({ correction }) => [
    { path: `/v1/corrections/${correction}/undo`, json: { by: 'Mallory' } },
  ],
  'get /v1/audits': (place) => [...ofStore(place), { query: { device: place.serial } }],
  'post /v1/audits': ({ serial }) =>
    byMallory({ device: serial, id: 'a-1', passages: [{ at: '2026-11-20T11:00:00Z', direction: 'in' }] }),
  'get /v1/sales': ofStore,
  'post /v1/sales': ({ sid }) => {
    const items = [{ store: sid, at: '2026-11-20T10:00:00Z', transactions: 1, amount: 1 }];
    return [{ json: { items }, echo: sid }];
  },
  'get /v1/alerts': ofStore,
  'get /v1/stores/{sid}/settings': ({ sid }) => [{ path: `/v1/stores/${sid}/settings` }],
  'put /v1/stores/{sid}/settings': ({ sid }) => [
    { path: `/v1/stores/${sid}/settings`, json: { capacity: 99 } },
  ],
  'post /v1/stores/{sid}/opening-hours/calendar': none,
  'get /v1/staff-passages': ofStore,
  'post /v1/staff-passages': ({ sid }) => byMallory({ store: sid, people: 99 }),
  'post /v1/staff-passages/{id}/undo': () => [{ path: '/v1/staff-passages/1/undo', json: { by: 'Mallory' } }],
  'get /v1/alert-rules': once,
  'put /v1/alert-rules': none,
  'get /v1/alert-recipients': once,
  'put /v1/alert-recipients': none,
  'get /v1/mail-reports': once,
  'post /v1/mail-reports': ({ sid }) => [
    { json: { name: 'x', period: 'daily', recipients: ['a@b.example'], stores: [sid] } },
  ],
  'put /v1/mail-reports/{id}': () => [{ path: '/v1/mail-reports/1', json: {} }],
  'delete /v1/mail-reports/{id}': () => [{ path: '/v1/mail-reports/1' }],
  'get /v1/mail-reports/{id}/preview': () => [{ path: '/v1/mail-reports/1/preview' }],
  'post /v1/mail-reports/{id}/test': () => [
    { path: '/v1/mail-reports/1/test', json: { to: 'a@acme.example' } },
  ],
  'get /v1/live': ({ sid }) => [{}, { query: { store: sid } }],
  'post /v1/enrolment': ({ serial }) => [{ json: { code: 'none', serial } }],
  'get /openapi.json': none,
  'get /reference': none,
  'get /health': none,
  'get /ready': none,
  'get /live': none,
};

/** The text of an answer; of the live stream that of its first event. */
async function ask(
  base: string,
  route: string,
  { path: given, query, form, json, soap }: Attempt,
  sent: SentCredential,
) {
  const [verb = '', pattern = ''] = route.split(' ');
  const method = verb.toUpperCase();
  const path = given ?? pattern;
  const url = `${base}${path}${query ? `?${new URLSearchParams(query)}` : ''}`;
  const headers: Record<string, string> = { ...sent.headers, 'x-requested-with': 'test' };
  if (path === '/v1/live') {
    const stream = await fetch(url, { headers });
    const first = await stream.body?.getReader().read();
    return new TextDecoder().decode(first?.value);
  }
  if (soap) {
    const [operation, parameters] = soap;
    Object.assign(headers, soapHeaders(soap11, `http://tempuri.org/${operation}`));
    return (await fetch(url, { method, headers, body: envelope(soap11, operation, parameters) })).text();
  }
  if (json) headers['content-type'] = 'application/json';
  const body = json ? JSON.stringify(json) : form && new URLSearchParams(form);
  return (await answerTo(url, { method, headers, ...(body && { body }) })).text;
}

test('no credential or session that is limited to stores reads or changes another store, by any route', async () => {
  const { base, seed, credentialsOf } = await limitedWorld();
  const document = JSON.parse(
    await readFile(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'),
  );
  const routes = Object.entries<object>(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path}`),
  );
  expect(Object.keys(attempts).toSorted()).toEqual(routes.toSorted());
  const entries = () =>
    seed.query(
      `select id::text, store_id from entry union all select id, store_id from sale
       union all select name, id from mail_report
       union all select capacity::text, id from store order by 2, 1`,
    );
  const before = await entries();
  const learned = new Set<string>();

  /* Each store is both the caller's own and somebody else's. */
  for (const seen of [['A'], ['B', 'C']]) {
    for (const sent of await credentialsOf(seen)) {
      const foreign = places.filter(({ name }) => !seen.includes(name));
      for (const [route, attemptsOn] of Object.entries(attempts)) {
        const all = foreign.flatMap((place) => attemptsOn(place, sent));
        /* Those that name no place are the same for each of them. */
        const different = new Map(all.map((attempt) => [JSON.stringify(attempt), attempt]));
        const check = async (attempt: Attempt) => {
          const answered = await ask(base, route, attempt, sent);
          const text = attempt.echo ? answered.replaceAll(attempt.echo, '') : answered;
          const marks = foreign.flatMap(({ marks }) => marks).filter((mark) => text.includes(mark));
          expect(marks, `${sent.kind} of ${seen}: ${route} ${JSON.stringify(attempt)}`).toEqual([]);
          if (places.some((place) => seen.includes(place.name) && place.marks.some((m) => text.includes(m))))
            learned.add(`${sent.kind} ${route}`);
        };
        await Promise.all([...different.values()].map(check));
      }
    }
  }

  expect(await entries()).toEqual(before);
  /* Requests that were allowed returned something, or else nothing was tested. */
  for (const route of [
    '/v1/occupancy',
    '/v1/counts',
    '/v1/crossings',
    '/v1/corrections',
    '/v1/alerts',
    '/v1/live',
  ])
    for (const kind of ['counts', 'staff', 'session']) expect(learned).toContain(`${kind} get ${route}`);
  for (const kind of kinds)
    expect(learned).toContain(`${kind} get /v1/${kind === 'sales' ? 'sales' : 'devices'}`);
  for (const { path } of Object.keys(attempts).map((key) => ({ path: key })))
    if (/GetLife|GetCounts/.test(path))
      expect([...learned].filter((one) => one.endsWith(path))).not.toEqual([]);
});

test('a limit applies from the next request on, and to answers in progress', async () => {
  const { base, seed } = await limitedWorld();
  const stores = async (headers: Record<string, string>) =>
    Object((await answerTo(`${base}/v1/stores`, { headers })).body).items.map(
      ({ sid }: { sid: string }) => sid,
    );
  const headers = { authorization: `Bearer ${tokenOf('staff', ['A', 'B'])}` };
  expect(await stores(headers)).toEqual(['sid-A', 'sid-B']);
  const listening = await fetch(`${base}/v1/live`, { headers });

  await seed.query(
    `update credential set store_ids = array_remove(store_ids, (select id from store where sid = 'sid-B'))`,
  );

  expect(await stores(headers)).toEqual(['sid-A']);
  /* The stream ends, and the next one is of the stores that are left. */
  for await (const _ of listening.body ?? []);
  await seed.query(`update credential set store_ids = '{}' where store_ids is not null`);
  expect(await stores(headers)).toEqual([]);
  expect(Object((await answerTo(`${base}/v1/session`, { headers })).body).stores).toEqual([]);
  expect(await stores({ authorization: `Bearer ${staffOf.everybody}` })).toEqual(['sid-A', 'sid-B', 'sid-C']);
});

test('answers about what belongs to other stores like about what does not exist', async () => {
  const { base } = await limitedWorld();
  const [own, other] = places;
  const token = tokenOf('counts', ['A']);
  const operation = async (name: string, fields: object) => {
    const body = new URLSearchParams({ CompanyName: 'Acme', Token: token, ...range, ...fields });
    return (await answerTo(`${base}${asmx}/${name}`, { method: 'POST', body })).text;
  };
  const group = (ShopGroupName = '') => operation('GetCountsByShopGroupAndDatePublic', { ShopGroupName });
  const device = (SerialNumber = '') => operation('GetCountsBySerialNumberAndDatePublic', { SerialNumber });
  expect(await group(own?.group)).toContain('Store of A');
  expect(await group(other?.group)).toBe(await group('nothing'));
  expect(await device(own?.serial)).toContain('Store of A');
  expect(await device(other?.serial)).toBe(await device('nothing'));
});
