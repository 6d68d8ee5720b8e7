import { readSheets } from '@visitor-counter/test/read-sheets';
import { expect, test } from 'vitest';
import { berlinStore } from '../../../test/berlin-store.ts';
import { token } from '../../../test/one-store.ts';

test('a file has the items of all pages, CSV as well as XLSX', async () => {
  const { get, seed, storeId } = await berlinStore();
  await seed.query(
    `insert into sale select $1, n::text, timestamptz '2026-11-20T08:00:00Z' + n * interval '1s', 1, n / 100.0
     from generate_series(1, 2500) n`,
    [storeId],
  );
  const csv = await get('/v1/sales?format=csv&limit=7&after=ignored');
  const lines = csv.text.split('\r\n');
  expect([csv.status, csv.headers.get('content-type'), lines.length]).toEqual([
    200,
    'text/csv; charset=utf-8; header=present',
    2502,
  ]);
  expect(lines[2500]).toBe('S-1,2026-11-20T09:41:40.000+01:00,1,25.00,2500');
  const [sheet] = await readSheets((await get('/v1/sales?format=xlsx')).bytes);
  expect(sheet?.rows.map((row) => row.at(-1))).toEqual([
    'id',
    ...Array.from({ length: 2500 }, (_, n) => `${n + 1}`),
  ]);
  expect(sheet?.rows[2500]?.slice(3, 5)).toEqual([1, 25]);
});

test('names the file by company, subject, store and period', async () => {
  const { get, seed } = await berlinStore();
  await seed.query(`update company set name = 'Müller "&" Söhne/Co'`);
  const { headers } = await get('/v1/counts?store=S-1&from=2026-11-13&to=2026-11-20&bucket=day&format=xlsx');
  expect(headers.get('content-disposition')).toBe(
    `attachment; filename="Muller -&- Sohne-Co counts S-1 2026-11-13 to 2026-11-20.xlsx"; ` +
      `filename*=UTF-8''M%C3%BCller%20-%26-%20S%C3%B6hne-Co%20counts%20S-1%202026-11-13%20to%202026-11-20.xlsx`,
  );
  const stores = await get('/v1/stores?format=csv');
  expect(stores.headers.get('content-disposition')).toContain('Co stores 2026-11-20.csv');
});

test('a file of crossings that begins at an instant has the later pages', async () => {
  const { get, seed, storeId, deviceId, journalId } = await berlinStore();
  await seed.query(
    `insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
     select $1, $2, $3, 100 + n, timestamptz '2026-11-18T08:00:00Z' + n * interval '1s', 1 from generate_series(1, 10001) n`,
    [journalId, deviceId, storeId],
  );
  const { text } = await get('/v1/crossings?format=csv&from=2026-11-18T00:00:00Z');
  expect(text.match(/2026-11-18T/g)).toHaveLength(10_001);
});

test('a page of CSV links the next one by its cursor, with the rest of the query', async () => {
  const { ask, seed, storeId } = await berlinStore();
  await seed.query(`update store set sid = 'S?1' where id = $1`, [storeId]);
  const answers: string[] = [];
  let path: string | undefined = '/v1/crossings?limit=3&store=S?1&from=2026-11-01T00:00:00Z';
  while (path !== undefined) {
    const { status, text, headers } = await ask(path, token, { headers: { accept: 'text/csv' } });
    answers.push(`${status}: ${text.split('\r\n').length - 2}`);
    path = /<([^>]*)>/.exec(headers.get('link') ?? '')?.[1];
  }
  expect(answers).toEqual(['200: 3', '200: 3', '200: 1']);
});

test('writes no formula in CSV files, and refuses an unknown format', async () => {
  const { get, seed } = await berlinStore();
  await seed.query(`update store set name = '=1+1', city = '-5'`);
  expect((await get('/v1/stores?format=csv')).text).toMatch(/\r\nS-1,'=1\+1,[^,]*,'-5,/);
  expect((await get('/v1/stores?format=csv&raw=true')).text).toMatch(/\r\nS-1,=1\+1,/);
  expect((await get('/v1/stores?format=pdf')).status).toBe(400);
  expect((await get('/v1/sales?format=xlsx', 'acme-life-signal-key')).status).toBe(403);
});

test('links of the page get CSV as spreadsheets of their locale open it, and programs get the same as ever', async () => {
  const { get, ask, seed, storeId } = await berlinStore();
  await seed.query(
    `insert into sale select $1, 'Süd; 1, ' || n, timestamptz '2026-11-20T08:00:00Z' + n * interval '1s', 1, -n / 4.0
     from generate_series(1, 2) n`,
    [storeId],
  );
  const day = 'from=2026-11-20&to=2026-11-20';
  const of = async (query: string) => (await get(`/v1/${query}`)).bytes.toString();
  expect(await of(`sales?${day}&format=csv&locale=de-DE`)).toBe(
    '\uFEFFstore;at;transactions;amount;id\r\n' +
      'S-1;2026-11-20T09:00:01.000+01:00;1;-0,25;"Süd; 1, 1"\r\n' +
      'S-1;2026-11-20T09:00:02.000+01:00;1;-0,50;"Süd; 1, 2"\r\n',
  );
  expect(await of(`visitors?${day}&bucket=day&format=csv&locale=de-DE`)).toMatch(/;2;-0,75;\r\n$/);
  expect(await of(`sales?${day}&format=csv&locale=en-GB`)).toMatch(
    /^\uFEFFstore,at,.*,-0\.25,"Süd; 1, 1"\r\n/s,
  );

  const plain = await of(`sales?${day}&format=csv`);
  expect(plain).toMatch(/^store,at,transactions,amount,id\r\n.*,-0\.25,"Süd; 1, 1"\r\n/s);
  const accept = { headers: { accept: 'text/csv' } };
  expect((await ask(`/v1/sales?${day}`, token, accept)).text).toBe(plain);
  expect((await ask(`/v1/sales?${day}&locale=de-DE`, token, accept)).text).toBe(plain);
  expect((await get(`/v1/sales?format=csv&locale=de_DE`)).status).toBe(400);
});
