import { projected } from '@visitor-counter/test/projected';
import type { Seed, SeedCrossing } from '@visitor-counter/test/seed';
import { startedOnce } from '@visitor-counter/test/started-once';
import { now, peopleOf, randomOf, type Zone, zoneOfHour } from './company-people.ts';
import { openPage } from './open-page.ts';
import { staffToken } from './served-page.ts';

/* A company as it could be, for pictures: the same people for the same seed, up to the present minute. */

const minute = 60_000;
const day = 86_400_000;

/** Zones in which it is afternoon and night now, so that pictures do not depend on when they are taken. */
const afternoon = zoneOfHour(16);
export const timeZone = afternoon.name;
const night = zoneOfHour(3);

const names = [
  'Covent Garden',
  'Brixton',
  'Canary Wharf',
  'Islington',
  'Notting Hill',
  'Richmond',
  'Victoria Station',
  'Oxford Street',
  'Camden Market',
  'Greenwich',
  'Kensington',
];
/** Has one more door, a capacity, and five weeks of people. */
export const mainStore = 'S-01';
/** Its unit is offline. */
const offlineStore = 'S-02';
/** It is night there. */
export const closedStore = 'S-12';

export interface ServedCompany {
  readonly pageUrl: string;
  readonly rows: Seed;
  /** Sends a request as staff. */
  send(method: 'POST' | 'PUT', path: string, body: object): Promise<void>;
}

/** The company, and an api that serves the page, for the tests of a file. */
export function companyForTests(): () => ServedCompany {
  return startedOnce(async (atEnd) => {
    const { rows, databaseUrl, pageUrl } = await openPage(atEnd);
    await seedCompany(rows);
    const send: ServedCompany['send'] = async (method, path, body) => {
      const headers = { authorization: `Bearer ${staffToken}`, 'content-type': 'application/json' };
      const answer = await fetch(`${pageUrl}v1/${path}`, { method, headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    };
    const served = { pageUrl, rows, send };
    await configure(served, databaseUrl);
    return served;
  }, 120_000);
}

async function seedCompany(rows: Seed): Promise<void> {
  const companyId = await rows.company('Acme');
  await rows.credential({
    companyId,
    kind: 'staff',
    value: staffToken,
    label: 'head office',
    settings: true,
  });
  const ids: number[] = [];
  for (const [index, name] of [...names, 'Sydney Harbour'].entries()) {
    const sid = `S-${String(index + 1).padStart(2, '0')}`;
    const zone = sid === closedStore ? night : afternoon;
    const storeId = await rows.store({ companyId, sid, name, timeZone: zone.name });
    ids.push(storeId);
    const random = randomOf(index + 1);
    const days = sid === mainStore ? Array.from({ length: 63 }, (_, n) => n) : [0, 1, 7, 8];
    const visitors = 250 + 45 * ((index * 3) % 7);
    const main = { companyId, storeId, sid, zone, name: 'Main entrance' };
    await door(rows, main, days, visitors, random);
    if (sid === mainStore) await door(rows, { ...main, name: 'Side entrance' }, days, 190, random);
  }
  await rows.shopGroup(companyId, 'North', ids.slice(0, 6));
  await rows.shopGroup(companyId, 'South', ids.slice(6));
}

interface Door {
  readonly companyId: number;
  readonly storeId: number;
  readonly sid: string;
  readonly name: string;
  readonly zone: Zone;
}

/** A door and the people who passed it on some days, counted back from today; its unit has delivered everything. */
async function door(
  rows: Seed,
  { companyId, storeId, sid, name, zone }: Door,
  days: readonly number[],
  visitors: number,
  random: () => number,
): Promise<void> {
  const serial = `CU-${sid.slice(2)}${name === 'Main entrance' ? '1' : '2'}`;
  const deviceId = await rows.device({ companyId, storeId, serial, lastActivityAt: Date.now() });
  const crossings = days
    .flatMap((back) => peopleOf(zone, back, visitors, random))
    .sort((a, b) => a.at - b.at);
  /* A journal for each week: it takes longer to check a journal with more than some thousand crossings. */
  const weeks = Map.groupBy(crossings, ({ at }) => Math.floor(at / (7 * day)));
  for (const [week, some] of weeks) {
    const journalId = await rows.journal(deviceId, `j${week}`);
    await rows.crossings(
      some.map((one, index): SeedCrossing => ({ ...one, storeId, deviceId, journalId, sequence: index + 1 })),
    );
  }
  const [journal = 0, recorded = []] = [...weeks].at(-1) ?? [];
  const isOffline = sid === offlineStore;
  await rows.query('update device set name = $2 where id = $1', [deviceId, name]);
  await rows.query(
    `update device_state set heartbeat_at = now(), last_activity_at = now(), online = $3,
       online_changed_at = now() - interval '40 minutes', heartbeat = $2 where device_id = $1`,
    [
      deviceId,
      JSON.stringify({
        at: Date.now(),
        journal: `j${journal}`,
        recorded: recorded.length,
        acknowledged: recorded.length,
        clock: 'synced',
        version: '1.2.0',
      }),
      !isOffline,
    ],
  );
}

async function configure({ rows, send }: ServedCompany, databaseUrl: string): Promise<void> {
  const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
  const week = Object.fromEntries(weekdays.map((name) => [name, ['09:00-20:00']]));
  const openingHours = {
    week: { ...week, sunday: ['11:00-17:00'] },
    exceptions: [{ date: `${new Date().getFullYear()}-12-25`, open: [], note: 'Christmas' }],
  };
  for (let n = 1; n <= 12; n += 1)
    await send('PUT', `stores/S-${String(n).padStart(2, '0')}/settings`, { openingHours });
  await send('PUT', `stores/${mainStore}/settings`, {
    capacity: 90,
    staff: { since: '2026-01-01', week: { monday: [{ at: '08:45', people: 4 }] } },
  });
  await send('PUT', 'stores/S-08/settings', { capacity: 120 });
  await send('PUT', 'alert-rules', { items: [{ kind: 'device-inactive', enabled: true }] });
  const mails = [
    { mail: 'manager@acme.example', language: 'en' },
    { mail: 'filialen@acme.example', language: 'de' },
  ];
  await send('PUT', 'alert-recipients', { items: mails });
  const recipients = mails.map(({ mail }) => mail);
  await send('POST', 'mail-reports', { name: 'Every morning', period: 'daily', recipients });
  await send('POST', 'mail-reports', {
    name: 'Shops in the north',
    period: 'weekly',
    group: 'North',
    recipients,
  });
  await send('POST', 'corrections', {
    store: mainStore,
    people: 41,
    by: 'Kim',
    id: 'c-1',
    at: new Date(now - 70 * minute).toISOString(),
  });
  await projected(databaseUrl);
  await rows.query(
    `insert into alert (company_id, kind, subject, store_id, device_id, about, began_at, raised_at)
     select store.company_id, 'device-inactive', device_id::text, store_id, device_id, '{}', now() - interval '25 minutes',
       now() - interval '25 minutes'
     from store join device_assignment on store_id = store.id where sid = $1`,
    [offlineStore],
  );
}
