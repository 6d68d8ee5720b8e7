import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import {
  accessibilityViolations,
  browserForTests,
  browserNames,
  overflowing,
  overlapping,
  signIn,
} from './browser.ts';
import { staffToken } from './served-page.ts';
import {
  emptySid,
  hebrewName,
  longName,
  offlineSid,
  type SeededStore,
  storesForTests,
} from './served-stores.ts';

const browserZones = ['Pacific/Auckland', 'Europe/Berlin', 'America/New_York'] as const;

/** Names in the order in which the list shows them. */
const names = (page: Page) => page.locator('.store-row .name-cut').allInnerTexts();

/** The numbers of a store in the list. */
async function numbersOf(page: Page, sid: string) {
  const row = page.locator(`[data-row="${sid}"]`);
  await row.waitFor();
  return {
    visitors: Number(await row.locator('.visitors b').textContent()),
    inside: Number(await row.locator('.number').textContent()),
  };
}

/** Counts by hand: entries of the store's own day so far, of the same time a week ago, and people inside. */
function counted({ crossings, timeZone }: SeededStore, now: number) {
  const local = (at: number) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(at);
  const [today, time] = local(now).split(' ');
  const [weekAgo] = local(now - 7 * 86_400_000).split(' ');
  let [visitors, before, inside] = [0, 0, 0];
  for (const { at, direction } of crossings) {
    const [date, clock = ''] = local(at).split(' ');
    if (date === today && direction === 1) visitors += 1;
    if (date === weekAgo && direction === 1 && clock < (time ?? '')) before += 1;
    if (date === today) inside = Math.max(0, inside + direction);
  }
  return { visitors, before, inside };
}

describe.each(browserNames)('five stores in %s', (name) => {
  const served = storesForTests(5);
  const open = browserForTests(name);

  test.each(browserZones)(
    'shows the numbers of each store and of all, with a browser in %s',
    async (timeZone) => {
      const { pageUrl, stores } = served();
      const page = await open(pageUrl, { timeZone });
      await signIn(page, staffToken);
      const now = Date.now();
      for (const store of stores) {
        const { visitors, inside } = counted(store, now);
        expect(await numbersOf(page, store.sid), store.name).toEqual({ visitors, inside });
      }
      const sum = (of: 'visitors' | 'before') =>
        stores.reduce((all, store) => all + counted(store, now)[of], 0);
      const total = page.locator('[data-total="visitors"]');
      expect(await total.locator('b').textContent()).toBe(String(sum('visitors')));
      await page.getByText(`${sum('before')} by this time a week ago`).waitFor();
    },
  );

  test('lists what needs attention first, and says what it is, by the name of the door', async () => {
    const { pageUrl } = served();
    const page = await open(pageUrl);
    await signIn(page, staffToken);
    await page.getByText('The counter at \u2068Main entrance\u2069 is offline').waitFor();
    expect((await names(page))[0]).toBe('Dublin 1');
    await page.goto(`${pageUrl}#/devices`);
    const first = page.locator('.door-row').first();
    await first.waitFor();
    expect(await first.textContent()).toMatch(/^Main entranceDublin 1/);
    expect(await page.locator('.door-row .name-cut').allInnerTexts()).not.toContain(`CU-${offlineSid}`);
  });

  test('fits on every screen, whatever the names', async () => {
    const { pageUrl } = served();
    const page = await open(pageUrl);
    await signIn(page, staffToken);
    for (const address of ['#/', '#/devices']) {
      await page.goto(`${pageUrl}${address}`);
      await page.getByText(hebrewName).first().waitFor();
      expect(await page.getByText(longName).count()).toBeGreaterThan(0);
      for (const width of [390, 820, 1440, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await overflowing(page), `${address} ${width}`).toEqual([]);
        expect(await overlapping(page, '.store-row > *, .door-row > *'), `${address} ${width}`).toEqual([]);
      }
    }
  });

  test.each(['light', 'dark'] as const)('has no accessibility violations in %s', async (colorScheme) => {
    const { pageUrl } = served();
    const page = await open(pageUrl, { colorScheme, width: 390 });
    await signIn(page, staffToken);
    for (const address of ['#/', '#/devices', `#/wall`, '#/wall/S-0001', '#/wall/no-such-store']) {
      await page.goto(`${pageUrl}${address}`);
      await page.locator(`[data-row="${emptySid}"], .door-row, .tile, .wall-words`).first().waitFor();
      expect(await accessibilityViolations(page), address).toEqual([]);
    }
  });
});
