import { expect, test } from 'vitest';
import { answerTo } from '../../test/api-under-test.ts';
import { credentials, lifeSignalKey, oneStore, token } from '../../test/one-store.ts';

const good = { at: 1_785_000_000_000, recorded: 3, acknowledged: 2 };
const beam = { name: 'outer', state: 'blocked', since: 1, breaks: 1 };

/** What an older version, a restored dump or a manual statement may have stored as a heartbeat. */
const heartbeats: readonly string[] = [
  'null',
  '7',
  '"alive"',
  '[]',
  '[{"at":1}]',
  '{}',
  '{"at":null}',
  '{"at":1e999}',
  '{"at":-1}',
  '{"at":"now"}',
  '{"at":1,"recorded":"x","acknowledged":[]}',
  '{"at":1,"recorded":1.5,"acknowledged":0.5}',
  '{"at":1,"recorded":1e300,"acknowledged":-1e300}',
  '{"at":1,"recorded":99999999999999999999,"acknowledged":1}',
  '{"at":1,"journal":{"a":1},"recorded":2,"acknowledged":1}',
  `{"at":1,"x":${'['.repeat(500)}${']'.repeat(500)}}`,
  ...[8.64e15, 8.64e15 + 1, Number.MAX_SAFE_INTEGER, -1, 1.5, 1e300, null, 'x', {}].map((extreme) =>
    JSON.stringify({
      at: extreme,
      uptime: extreme,
      recorded: extreme,
      acknowledged: extreme,
      version: extreme,
      clock: extreme,
      cpuTemperature: extreme,
      diskFree: extreme,
      lost: [['j', extreme, extreme], extreme],
      beams: [{ ...beam, since: extreme }, { ...beam, breaks: extreme }, { ...beam, name: extreme }, extreme],
    }),
  ),
  ...[8.64e15, 1e300, -1, 'x'].map((since) => JSON.stringify({ ...good, beams: [{ ...beam, since }] })),
  ...[good.at, 'x', {}].map((beams) => JSON.stringify({ ...good, beams, lost: beams })),
];

/** The same for all other stored values. */
const statements: readonly string[] = [
  ...['infinity', '-infinity', '290000-01-01', '4000-01-01 BC', '12000-01-01'].flatMap((instant) => [
    `update device_state set last_activity_at = '${instant}', heartbeat_at = '${instant}',
       online_changed_at = '${instant}'`,
    `update device set registered_at = '${instant}'`,
    `update alert set began_at = '${instant}', raised_at = '${instant}', cleared_at = '${instant}'`,
  ]),
  `update credential set expires_at = 'infinity'`,
  `update credential set expires_at = '290000-01-01'`,
  ...['Mars/Olympus', '', '+25:00', 'Europe/Berlim'].map((zone) => `update store set time_zone = '${zone}'`),
  `alter table store drop constraint store_day_starts_at_check`,
  ...['25:00', 'noon', ''].map((time) => `update store set day_starts_at = '${time}'`),
  `update store set day_starts_at = '06:00', capacity = 2147483647, name = e'a\\u0001\\u2028"<b>', address = e'\\u001b'`,
  ...['12000-01-01', '1900-01-01'].map(
    (instant) => `insert into entry (kind, store_id, at, people, entered_by)
      select 'correction', id, '${instant}', 2147483647, e'\\u0001' from store`,
  ),
  `update alert set about = '{"beam":7,"since":"never","occupancy":1e300}'`,
  `update alert set about = '{"since":"+275760-09-13T00:00:00Z"}'`,
  `update crossing set sequence = 9223372036854775807 where sequence = 2`,
  `insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
   select journal.id, device_id, store.id, 9, '12000-01-01', 1 from journal, store`,
];

test('every route answers, whatever heartbeats and other values are stored', async () => {
  const api = await oneStore();
  const { seed, companyId, storeId, deviceId, journalId } = api;
  await seed.credential({ companyId, kind: 'staff', value: 'staff-token' });
  const crossing = { storeId, deviceId, journalId, direction: 1 } as const;
  await seed.crossings([1, 2].map((sequence) => ({ ...crossing, sequence, at: Date.now() - 1_000 })));
  await seed.query(
    `insert into alert (company_id, kind, subject, store_id, device_id, about, began_at)
     values ($1, 'beam-blocked', '1', $2, $3, '{}', now())`,
    [companyId, storeId, deviceId],
  );
  const setHeartbeat = 'update device_state set heartbeat = $1, heartbeat_at = now(), online = true';
  for (const heartbeat of heartbeats) {
    await seed.query(setHeartbeat, [heartbeat]);
    expect([heartbeat, await failures()]).toEqual([heartbeat, []]);
  }
  await seed.query(setHeartbeat, [JSON.stringify({ ...good, beams: [beam] })]);
  for (const statement of statements) {
    await seed.query(statement);
    expect([statement, await failures()]).toEqual([statement, []]);
  }
  expect(api.logged()).not.toMatch(/request failed|answer aborted/);

  /** What does not answer 200. */
  async function failures(): Promise<string[]> {
    const range = { DateFrom: '2026-11-01', DateTo: '9999-12-31' };
    const operations: [string, Record<string, string>][] = [
      ['GetAllCountsByCompanyForTodayPublic', credentials],
      ['GetCountsByCompanyAndDatePublic', { ...credentials, ...range }],
      ['GetCountsByShopGroupAndDatePublic', { ...credentials, ...range, ShopGroupName: 'West' }],
      ['GetCountsBySerialNumberAndDatePublic', { ...credentials, ...range, SerialNumber: 'CU-0001' }],
      ['GetLifeSignalInactive', { CompanyName: 'Acme', InactiveForHours: '0.0001' }],
    ];
    const paths = ['stores', 'devices', 'occupancy', 'counts', 'counts?by=device', 'crossings', 'alerts'];
    const base = `http://127.0.0.1:${api.port}/v1`;
    const bearer = (value: string) => ({ headers: { authorization: `Bearer ${value}` } });
    const answers = await Promise.all([
      ...operations.flatMap(([name, fields], index) =>
        ['application/json', ...(index % 4 === 0 ? ['text/xml'] : [])].map((accept) =>
          api.post(name, fields, { accept, authorization: lifeSignalKey }),
        ),
      ),
      ...paths.map((path) => answerTo(`${base}/${path}`, bearer(token))),
      ...['session', 'corrections'].map((path) => answerTo(`${base}/${path}`, bearer('staff-token'))),
    ]);
    return answers.filter(({ status }) => status !== 200).map(({ status, text }) => `${status} ${text}`);
  }
});
