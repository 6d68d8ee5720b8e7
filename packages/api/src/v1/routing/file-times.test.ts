import { readSheets } from '@visitor-counter/test/read-sheets';
import { untilTransactionsEnd } from '@visitor-counter/test/until-transactions-end';
import { expect, test } from 'vitest';
import { cross, oneStore } from '../../../test/one-store.ts';

/** Clocks in Berlin and Madrid were set back from 3:00 to 2:00. */
const now = Date.parse('2026-10-25T02:40:00Z');
const instants = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'] as const;

/** A store in Berlin, in which the same happened in the two hours from 2:00, and another one. */
async function repeatedHour(timeZone: string) {
  const api = await oneStore({ now: () => now });
  const { seed, companyId, storeId } = api;
  const other = await seed.store({ companyId, sid: 'S-2', timeZone });
  await seed.shopGroup(companyId, 'Both', [storeId, other]);
  await cross(
    api,
    instants.map((at) => [at, 1]),
  );
  const enter = async (table: string, columns: string, values: string) => {
    for (const at of instants)
      await seed.query(`insert into ${table} (store_id, at, ${columns}) values ($1, $2, ${values})`, [
        storeId,
        at,
      ]);
  };
  await enter('entry', 'kind, people, entered_by', `'passage', 1, 'Kim'`);
  await enter('sale', 'id, transactions, amount', `$2::timestamptz::text, 1, 2.5`);
  await enter('entry', 'kind, people, entered_by', `'correction', 1, 'Kim'`);
  await untilTransactionsEnd(api.databaseUrl);
  return async (path: string) => {
    const { status, bytes } = await api.get(`/v1/${path}`);
    expect(status).toBe(200);
    return bytes;
  };
}

const day = 'from=2026-10-25&to=2026-10-25';

test('files have the offset of every time, so that no hour that clocks repeat is in them twice', async () => {
  const read = await repeatedHour('Europe/Madrid');
  for (const path of [
    `visitors?${day}&bucket=hour`,
    `visitors?${day}&bucket=hour&store=S-1`,
    `visitors?${day}&bucket=hour&group=Both`,
    `counts?${day}&bucket=15min&store=S-1`,
    `counts?${day}&bucket=15min&by=device`,
    `counts?${day}&bucket=15min&by=group&group=Both`,
    `crossings?store=S-1`,
    `staff-passages?${day}`,
    `corrections?${day}`,
    `sales?${day}`,
  ]) {
    const lines = (await read(`${path}&format=csv`)).toString().split('\r\n').slice(1, -1);
    const times = lines.map((line) => line.match(/2026-10-25T[^,]*/g) ?? []);
    const first = times.map(([time]) => time ?? '');
    expect(first, path).toSatisfy((found: string[]) => new Set(found).size === found.length);
    expect(times.flat().join('\n'), path).toMatch(/^(.*T\d\d:\d\d:00\.000\+0[12]:00\n?)+$/);
    expect(
      first.filter((time) => time.includes('T02:30') || time.includes('T02:00')).length,
      path,
    ).toBeGreaterThan(1);

    const [sheet] = await readSheets(await read(`${path}&format=xlsx`));
    const [header = [], ...rows] = sheet?.rows ?? [];
    const column = header.findIndex((title) => title === 'at' || title === 'from');
    expect(header[column + 1]).toBe(`${header[column]} (UTC±)`);
    expect(
      rows.map((row) => `${row[column]}${row[column + 1]}`),
      path,
    ).toEqual(first);
  }
});

test('a time has no offset where stores have different ones', async () => {
  const read = await repeatedHour('Europe/London');
  for (const path of ['visitors?', 'counts?by=group&group=Both&']) {
    const { items } = JSON.parse((await read(`${path}${day}&bucket=hour`)).toString());
    expect(items.map(({ from }: { readonly from: string }) => from.slice(11))).toEqual([
      '00:00',
      '01:00',
      '01:00:00.000+00:00',
      '02:00',
      '02:00:00.000+01:00',
      '03:00:00.000+01:00',
    ]);
  }
});
