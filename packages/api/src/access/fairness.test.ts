import { holdLock } from '@visitor-counter/test/held-lock';
import { expect, test } from 'vitest';
import { answerTo } from '../../test/api-under-test.ts';
import { lifeSignalKey, type OneStore, oneStore, token } from '../../test/one-store.ts';

/** Needed to identify a caller, and by the probe. */
const unlocked = ['company', 'credential', 'session', 'store', 'crossing'];

/** An api whose answers to company Acme wait for locks, with a credential of another company. */
async function blockedApi(): Promise<OneStore & { release(): Promise<void> }> {
  const api = await oneStore();
  const { seed, companyId, databaseUrl } = api;
  await seed.credential({ companyId, kind: 'staff', value: 'staff-token' });
  await seed.query(`update credential set may_configure = true where kind = 'staff'`);
  const other = await seed.company('Other');
  await seed.credential({ companyId: other, kind: 'counts', value: 'other-token' });
  const rows = await seed.query(`select tablename from pg_tables where schemaname = 'public'`);
  const names = rows.map((row) => String(row['tablename'])).filter((name) => !isUnlocked(name));
  const { release } = await holdLock(databaseUrl, `lock table ${names.join(', ')} in access exclusive mode`);
  return { ...api, release };
}

function isUnlocked(table: string): boolean {
  return unlocked.includes(table) || /^(kysely|installation)/.test(table);
}

const read = (path: string) => ({ path, init: { headers: { authorization: token } } });
const post = (path: string, body: object) => ({
  path,
  init: {
    method: 'POST',
    headers: { authorization: 'staff-token', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  },
});
const operation = (name: string, fields: Readonly<Record<string, string>>) => ({
  path: `/public/Service.asmx/${name}`,
  init: {
    method: 'POST',
    headers: { authorization: lifeSignalKey },
    body: new URLSearchParams({ CompanyName: 'Acme', ...fields }),
  },
});
const range = { Token: token, DateFrom: '2026-11-01', DateTo: '2026-11-02' };

test.each([
  read('/v1/devices'),
  read('/v1/occupancy?format=xlsx'),
  read('/v1/crossings'),
  post('/v1/corrections', { store: 'S-1', people: 1, by: 'Kim' }),
  post('/v1/mail-reports', { name: 'a', period: 'daily', recipients: ['ann@acme.example'] }),
  operation('GetLifeSignalInactive', { InactiveForHours: '1' }),
  operation('GetAllCountsByCompanyForTodayPublic', { Token: token }),
  operation('GetCountsByCompanyAndDatePublic', range),
])('answers other companies while one sends 120 requests at a time to $path', async ({ path, init }) => {
  const api = await blockedApi();
  const base = `http://127.0.0.1:${api.port}`;
  const flood = Array.from({ length: 120 }, () => fetch(base + path, init));
  const isBlocked = () =>
    api.seed.query(`select from pg_stat_activity where application_name = 'visitor-counter api'
      and datname = current_database() and wait_event_type = 'Lock'`);
  await expect.poll(async () => (await isBlocked()).length).toBeGreaterThan(0);
  const other = { headers: { authorization: 'other-token' } };
  for (let count = 0; count < 3; count += 1) {
    expect((await answerTo(`${base}/v1/session`, other)).status).toBe(200);
    expect((await answerTo(`${base}/health`, {})).status).toBe(200);
  }
  await api.release();
  const answers = await Promise.all(flood);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true);
  expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
});
