import type { Page } from 'playwright-core';
import { describe, test } from 'vitest';
import { browserForTests, browserNames, signIn } from './browser.ts';
import { type Crossing, historyForTests, type SeededHistory } from './served-history.ts';
import { staffToken } from './served-page.ts';

const patience = { timeout: 100_000 };
const day = 86_400_000;
const now = Date.now();

/** Stores of which no two have the same date now: their clocks are 25 hours apart. */
const east = history('S-1', 'Kiritimati', 'Pacific/Kiritimati', 14);
const west = history('S-2', 'Pago Pago', 'Pacific/Pago_Pago', -11);
const { served } = historyForTests([east, west]);

/** People of fifteen days up to now, each day with another number; `ahead` of UTC by so many hours. */
function history(sid: string, name: string, timeZone: string, ahead: number): SeededHistory {
  const today = Date.parse(dateIn(timeZone, now)) - ahead * 3_600_000;
  const crossings = Array.from({ length: 15 }, (_, back) =>
    Array.from({ length: 40 + 3 * back - ahead }, (__, n): Crossing => {
      return { at: today - back * day + (n + 1) * 60_000, direction: 1 };
    }),
  );
  const past = crossings.flat().filter(({ at }) => at < now - 60_000);
  return { sid, name, timeZone, crossings: past.sort((a, b) => a.at - b.at) };
}

function dateIn(timeZone: string, at: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at);
}

function daysLater(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00Z`) + days * day).toISOString().slice(0, 10);
}

/** The people who came in on a date, counted by hand. */
function countedOn({ crossings, timeZone }: SeededHistory, date: string): number {
  return crossings.filter(({ at }) => dateIn(timeZone, at) === date).length;
}

const visitorsOf = (page: Page, sid: string) => page.locator(`[data-row="${sid}"] .visitors b`);
const total = (page: Page) => page.locator('[data-total="visitors"] b');

describe.each(browserNames)('in %s', (name) => {
  const open = browserForTests(name);
  const openAt = async (address: string) => {
    const page = await open(`${served().pageUrl}#/${address}`, { timeZone: 'Asia/Tokyo' });
    await signIn(page, staffToken);
    return page;
  };

  test.each([
    ['today', '', 0],
    ['yesterday', '?range=yesterday', -1],
  ])(
    'shows %s of each store by its own days, in the list and on its page, and a total of one date',
    async (_, query, back) => {
      const page = await openAt(query);
      for (const store of [east, west]) {
        const own = String(countedOn(store, daysLater(dateIn(store.timeZone, now), back)));
        await visitorsOf(page, store.sid).getByText(own, { exact: true }).waitFor(patience);
        await page.goto(`${served().pageUrl}#/stores/${store.sid}${query}`);
        const figure = page.locator('.figures .number').first();
        await figure.getByText(own, { exact: true }).waitFor(patience);
        await page.goto(`${served().pageUrl}#/${query}`);
      }
      const date = daysLater(dateIn(west.timeZone, now), back);
      const sum = countedOn(east, date) + countedOn(west, date);
      await total(page).getByText(String(sum), { exact: true }).waitFor(patience);
      await page.locator('.shown-days').getByText('The stores are in several time zones.').waitFor();
      await page.getByText(/1 store already has a later day/).waitFor();
    },
  );
});
