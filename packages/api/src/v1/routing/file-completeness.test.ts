import { untilTransactionsEnd } from '@visitor-counter/test/until-transactions-end';
import { expect, test } from 'vitest';
import { berlinStore, now } from '../../../test/berlin-store.ts';

/** A store whose door was last heard at 9:00, with a door that was installed now, and a store that has not begun to count. */
async function threeDoors() {
  const { seed, get, companyId, storeId, databaseUrl } = await berlinStore();
  const heard = Date.parse('2026-11-20T08:00:00Z');
  await seed.query('update device_state set heartbeat_at = $1, last_activity_at = $1, heartbeat = $2', [
    new Date(heard),
    JSON.stringify({ at: heard, journal: 'journal-a', recorded: 0, acknowledged: 0 }),
  ]);
  await seed.device({ companyId, storeId, serial: 'NEW', registeredAt: now - 1_000 });
  const empty = await seed.store({ companyId, sid: 'S-2', timeZone: 'Europe/Berlin' });
  await seed.device({ companyId, storeId: empty, serial: 'EMPTY' });
  await seed.shopGroup(companyId, 'Empty', [empty]);
  await untilTransactionsEnd(databaseUrl);
  return async (path: string) => {
    const { text } = await get(`/v1/${path}&format=csv`);
    const [header = [], ...rows] = text
      .trim()
      .split('\r\n')
      .map((line) => line.match(/("[^"]*"|[^,]*)(,|$)/g)?.map((cell) => cell.replace(/,$/, '')) ?? []);
    return rows.map((row) => Object.fromEntries(header.map((title, index) => [title, row[index] ?? ''])));
  };
}

test('every row of a file says why its numbers may change, and that 0 is no data', async () => {
  const read = await threeDoors();
  const reasonsIn = async (path: string) =>
    (await read(path)).map((row) => row['incomplete']?.replaceAll('"', ''));
  expect(await reasonsIn('counts?bucket=day&store=S-1&from=2026-11-12&to=2026-11-13')).toEqual([
    'not-started',
    '',
  ]);
  expect(await reasonsIn('counts?bucket=hour&store=S-1')).toEqual([
    ...Array.from({ length: 9 }, () => ''),
    'late',
    'late',
    'running,late',
  ]);
  expect(await reasonsIn('counts?bucket=day&by=device')).toEqual(['running,late']);
  expect(await reasonsIn('counts?bucket=day&by=group')).toEqual(['running,late,not-started', 'running,late']);
  expect(await reasonsIn('visitors?bucket=day&store=S-2')).toEqual(['running,late,not-started']);
  expect(await reasonsIn('visitors/doors?store=S-1')).toEqual(['running,late', 'running,late']);
  expect(await reasonsIn('visitors/doors?store=S-2')).toEqual(['running,late,not-started']);
  const past = 'from=2026-11-13&to=2026-11-13';
  expect(await reasonsIn(`visitors/doors?store=S-1&${past}`)).toEqual(['', 'not-started']);
  expect(await reasonsIn(`visitors/stores?${past}`)).toEqual(['', 'not-started']);
  const completeUntil = async (path: string) => (await read(path)).map((row) => row['completeUntil']);
  expect(await completeUntil(`visitors/stores?${past}`)).toEqual(['', '']);
  expect(await completeUntil('occupancy?')).toEqual(['', '']);
});
