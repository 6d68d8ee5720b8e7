import { readSheets } from '@visitor-counter/test/read-sheets';
import { expect, test } from 'vitest';
import { berlinStore } from '../../../test/berlin-store.ts';

async function withFiles() {
  const world = await berlinStore();
  await world.seed.query(`update store set name = 'Am Markt'`);
  await world.seed.query(
    `insert into sale (store_id, id, at, transactions, amount) values ($1, 'a', '2026-11-13T09:30+01:00', 1, 12.5)`,
    [world.storeId],
  );
  return async (path: string) => {
    const { status, bytes } = await world.get(`/v1/${path}&format=xlsx`);
    expect(status).toBe(200);
    const [sheet] = await readSheets(bytes);
    return { name: sheet?.name, rows: sheet?.rows ?? [] };
  };
}

test('names columns by the words of a language, the store by its name, and the period, with a total', async () => {
  const file = await withFiles();
  const { name, rows } = await file(
    'visitors?store=S-1&from=2026-11-13&to=2026-11-20&bucket=day&compare=weekdays&locale=de-AT',
  );
  expect(name).toBe('2026-11-13 – 2026-11-20');
  const [heads, first, ...others] = rows;
  expect(heads).toEqual([
    ...['Filiale', 'Zeit', 'Besucher', 'Hinausgegangen', 'Verkäufe', 'Betrag', 'Abschlussquote', 'Hinweis'],
  ]);
  expect(first).toEqual(['Am Markt', '2026-11-13T00:00:00.000', 2, 1, 1, 12.5, expect.anything(), null]);
  expect(others.at(-1)?.slice(0, 6)).toEqual(['Summe 2026-11-13 – 2026-11-20', null, 5, 2, 1, 12.5]);
});

test('has the change of each store and of all, and its conversion', async () => {
  const file = await withFiles();
  const { rows } = await file('visitors/stores?from=2026-11-20&to=2026-11-20&compare=weekdays&locale=es');
  const heads = [
    'Tienda',
    'N.º de tienda',
    'Visitantes',
    'Antes, 2026-11-13',
    'Variación',
    'Salidas',
    'Nota',
  ];
  expect(rows[0]).toEqual(heads);
  expect(rows[1]?.slice(0, 6)).toEqual(['Am Markt', 'S-1', 3, 2, 0.5, 1]);
  expect(rows[2]?.slice(0, 5)).toEqual(['Total 2026-11-20', null, 3, 2, 0.5]);
});
