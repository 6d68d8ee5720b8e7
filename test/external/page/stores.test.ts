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
import { withinAMinute } from './within-a-minute.ts';

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

/** Resolves when the browser keeps the numbers that the page shows. */
async function keptNumbers(page: Page): Promise<void> {
  await page.locator('[data-kept="false"]').first().waitFor();
  const names = 'Object.keys(localStorage).filter((name) => /^kept (#|store$)/.test(name)).length';
  await expect.poll(() => page.evaluate(names)).toBeGreaterThan(0);
}

/** A local time, `YYYY-MM-DD HH:MM:SS`. */
const localIn = (timeZone: string, at: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(at);

/**
 * Counts by hand: entries of the store's own day so far, or of another date, those of the same time a week before, and people
 * inside now.
 */
function counted({ crossings, timeZone }: SeededStore, now: number, wanted?: string) {
  const [today = '', time = ''] = localIn(timeZone, now).split(' ');
  const day = wanted ?? today;
  const weekAgo = new Date(Date.parse(`${day}T00:00Z`) - 7 * 86_400_000).toISOString().slice(0, 10);
  let [visitors, before, inside] = [0, 0, 0];
  for (const { at, direction } of crossings) {
    const [date, clock = ''] = localIn(timeZone, at).split(' ');
    if (date === day && direction === 1) visitors += 1;
    if (date === weekAgo && direction === 1 && (day < today || clock < time)) before += 1;
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
      /* Totals are of the same date in every store. */
      const [date] = stores.map((store) => localIn(store.timeZone, now).slice(0, 10)).sort();
      const sum = (of: 'visitors' | 'before') =>
        stores.reduce((all, store) => all + counted(store, now, date)[of], 0);
      const total = page.locator('[data-total="visitors"]');
      await expect.poll(() => total.locator('b').textContent()).toBe(String(sum('visitors')));
      await page.getByText(`Same day last week, by this time: ${sum('before')}`).waitFor();
    },
  );

  test('lists stores that need attention first, with the problem and the name of the door', async () => {
    const { pageUrl } = served();
    const page = await open(pageUrl);
    await signIn(page, staffToken);
    await page.getByText('The counter at \u2068Main entrance\u2069 is offline').waitFor();
    expect((await names(page))[0]).toBe('Dublin 1');
    await page.goto(`${pageUrl}#/devices`);
    const first = page.locator('.door-row').first();
    await first.waitFor();
    await expect.poll(() => first.textContent()).toMatch(/^Main entranceDublin 1/);
    expect(await page.locator('.door-row .name-cut').allInnerTexts()).not.toContain(`CU-${offlineSid}`);
  });

  test('folds stores that are closed now, and shows them on a click', async () => {
    const { pageUrl, rows } = served();
    await rows.query(`update store set opening_hours = '{"week":{},"exceptions":[]}' where sid = 'S-0001'`);
    const page = await open(pageUrl);
    await signIn(page, staffToken);
    const fold = page.getByRole('button', { name: 'Closed now: 1 store' });
    await fold.waitFor();
    expect(await page.locator('[data-row="S-0001"]').count()).toBe(0);
    await fold.click();
    await page.locator('[data-row="S-0001"]').getByText('Closed').waitFor();
    await rows.query('update store set opening_hours = null');
  });

  test('fits on every screen, whatever the names', async () => {
    const { pageUrl } = served();
    const page = await open(pageUrl);
    await signIn(page, staffToken);
    for (const address of ['#/', '#/devices']) {
      await page.goto(`${pageUrl}${address}`);
      await page.getByText(hebrewName).first().waitFor();
      expect(await page.getByText(longName).count()).toBeGreaterThan(0);
      for (const width of [320, 390, 640, 820, 1440, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        const message = `${address} ${width}`;
        await expect.poll(() => overflowing(page), { message }).toEqual([]);
        await expect.poll(() => overlapping(page, '.store-row > *, .door-row > *'), { message }).toEqual([]);
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

describe.each(browserNames)('a thousand stores on a phone in %s', (name) => {
  const served = storesForTests(1_000);
  const open = browserForTests(name);
  const rows = (page: Page) => page.locator('.store-row');

  test('renders only what is on the screen, finds and sorts the others, and follows live without asking again', async () => {
    const { pageUrl, stores, walkIn } = served();
    const page = await open(pageUrl, { width: 390, height: 844 });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await signIn(page, staffToken);
    await rows(page).first().waitFor();
    expect(await rows(page).count()).toBeLessThan(80);

    await page.getByRole('button', { name: 'Store', exact: true }).first().click();
    await expect
      .poll(async () => (await names(page)).slice(0, 10))
      .toEqual([...Array.from({ length: 10 }, (_, index) => `Aarhus ${index + 1}`)]);
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    const order = new Intl.Collator('en-GB', { numeric: true, sensitivity: 'base' });
    const last =
      stores
        .map((store) => store.name)
        .sort(order.compare)
        .at(-1) ?? '';
    await page.getByText(last).waitFor();
    expect(await rows(page).count()).toBeLessThan(80);

    await page.evaluate('scrollTo(0, 20000)');
    const firstRow = 'Math.abs(document.querySelector(".store-row").getBoundingClientRect().top)';
    await expect.poll(async () => Number(await page.evaluate(firstRow))).toBeLessThan(3_000);
    const sid = await page.locator('.store-row').nth(20).getAttribute('data-row');
    await page.locator(`[data-row="${sid}"]`).click();
    await expect.poll(() => page.evaluate('scrollY')).toBe(0);
    await page.goBack();
    await page.locator(`[data-row="${sid}"]`).waitFor();
    expect(Number(await page.evaluate('scrollY'))).toBeGreaterThan(15_000);

    await page.evaluate('scrollTo(0, 0)');
    await page.getByLabel('Search stores').fill('evora 7');
    await expect.poll(async () => (await names(page))[0]).toBe('Évora 7');
    const { visitors } = await numbersOf(page, 'S-0035');
    let people = 0;
    await withinAMinute(async () => {
      asked.length = 0;
      await walkIn('S-0035', 3);
      people += 3;
      await expect.poll(async () => (await numbersOf(page, 'S-0035')).visitors).toBe(visitors + people);
    });
    expect(asked).not.toContain('/v1/visitors/stores');

    await page.getByLabel('Search stores').fill('no such store');
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByLabel('Shop group').selectOption('South');
    const total = await page.locator('[data-total="stores"] b').textContent();
    expect(total).toBe('500');
    expect(await overflowing(page)).toEqual([]);
  });

  test('shows the last numbers while the server does not answer, and how old they are', async () => {
    const { pageUrl } = served();
    const page = await open(pageUrl, { width: 390, height: 844 });
    await signIn(page, staffToken);
    await rows(page).first().waitFor();
    await keptNumbers(page);
    const before = await page.locator('[data-total="visitors"] b').textContent();
    await page.route('**/v1/**', () => {});
    await page.goto('about:blank');
    await page.goto(pageUrl, { waitUntil: 'commit' });
    await rows(page).first().waitFor();
    console.log(`${Math.round(Number(await page.evaluate('performance.now()')))} ms until the last numbers`);
    await page.getByText(/These numbers are from (this minute|\d+ minutes? ago)/).waitFor();
    await expect.poll(() => page.locator('[data-total="visitors"] b').textContent()).toBe(before);

    await page.unroute('**/v1/**');
    await page.reload();
    await page.locator('[data-kept="false"]').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Staff credential').waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('Aarhus');
  });
});
