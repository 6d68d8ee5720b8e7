import { measureReader, page } from '../growth/readers.ts';
import { startApiProgram } from './start-api-program.ts';

const year = 'from=2025-11-20&to=2026-11-19';
const month = 'from=2026-10-01&to=2026-10-31';

/** Numbers of the page, each next to those of the period before. */
const yearOfStore = page('a year of a store by day', 100, () => {
  return `/v1/visitors?store=1&${year}&bucket=day&compare=previous-year`;
});
const monthOfStores = page('a month of each store', 40, () => {
  return `/v1/visitors/stores?${month}&compare=previous-month`;
});

/** The median times (ms) of a year of one store and of a month of all stores. */
export async function measureVisitors(urls: { readonly years: string; readonly months: string }) {
  await using ofOne = await startApiProgram(urls.years);
  await using ofMany = await startApiProgram(urls.months);
  return {
    year: await measureReader(ofOne, yearOfStore),
    month: await measureReader(ofMany, monthOfStores),
  };
}
