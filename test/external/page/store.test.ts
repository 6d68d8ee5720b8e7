import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { accessibilityViolations, browserForTests, browserNames, overflowing, signIn } from './browser.ts';
import { type Crossing, historyForTests, zoneOfNoon } from './served-history.ts';
import { staffToken } from './served-page.ts';

const hour = 3_600_000;
const now = Date.now();
const longName = 'Kaufhaus am Donaudampfschifffahrtsgesellschaftsplatz (Untergeschoss, Eingang Süd)';
const hebrewName = 'עזריאלי (תל אביב)';
const timeZone = zoneOfNoon(now);
const { served } = historyForTests([
  { sid: 'S-1', name: longName, timeZone, crossings: morning() },
  { sid: 'S-2', name: hebrewName, timeZone: 'Asia/Jerusalem', crossings: [] },
  { sid: 'S-3', name: 'New Street', timeZone: 'America/St_Johns', crossings: firstDays() },
]);

/** A store that began to count on 10 November 2026 at noon: seven people, and five on the next day. */
function firstDays(): Crossing[] {
  const noon = Date.parse('2026-11-10T12:00:00-03:30');
  const day = (from: number, count: number) =>
    Array.from({ length: count }, (_, n): Crossing => ({ at: from + n * 60_000, direction: 1 }));
  return [...day(noon, 7), ...day(noon + 24 * hour, 5)];
}

/** Two people leave before anybody has come; then five come in the hour from nine on, and nine in the hour before noon. */
function morning(): Crossing[] {
  const noonToday = now - (now % hour);
  const group = (hours: number, count: number, direction: 1 | -1) =>
    Array.from(
      { length: count },
      (_, n): Crossing => ({ at: noonToday - hours * hour + n * 120_000, direction }),
    );
  return [...group(4, 2, -1), ...group(3, 5, 1), ...group(1, 9, 1)];
}

describe.each(browserNames)('in %s', (name) => {
  const open = browserForTests(name);
  const openPage = async (address: string, looks: Parameters<typeof open>[1] = {}) => {
    const page = await open(`${served().pageUrl}${address}`, looks);
    await signIn(page, staffToken);
    return page;
  };
  const chart = (page: Page) => page.locator('.visitors-card .chart');

  test('keeps range and comparison in the address, so that the way back leads to the range before', async () => {
    const page = await openPage('#/stores/S-1');
    const comparison = page.locator('.range-picker summary');
    await comparison.getByText('Same day last week').waitFor();
    await page.getByRole('link', { name: '7 days' }).click();
    await page.getByRole('heading', { name: 'Visitors by day' }).waitFor();
    await comparison.getByText('Same weekdays before').waitFor();
    expect(page.url()).toContain('range=7d');
    await page.getByRole('button', { name: 'Dates' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Dates' }).click();
    await dialog.getByLabel('First day').fill('2026-11-03');
    await dialog.getByLabel('Last day').fill('2026-11-01');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('must not be after').waitFor();
    await dialog.getByLabel('Last day').fill('2026-11-04');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('heading', { name: 'Visitors by hour' }).waitFor();
    expect(page.url()).toContain('range=2026-11-03..2026-11-04');
    await page.goBack();
    await page.getByRole('heading', { name: 'Visitors by day' }).waitFor();
    await comparison.click();
    await page.getByRole('link', { name: 'Year before' }).click();
    await page.waitForURL(/compare=year/);
  });

  test.each(['Pacific/Auckland', 'America/Los_Angeles', 'UTC'])(
    'shows the hours of the store in a browser in %s, none of the night, and the present one as not over',
    async (zone) => {
      const page = await openPage('#/stores/S-1', { timeZone: zone });
      await chart(page).locator('svg').first().waitFor();
      const labels = await chart(page)
        .locator('svg')
        .first()
        .locator('text[text-anchor="middle"]')
        .allTextContents();
      expect(labels.slice(0, 5)).toEqual(['08', '09', '10', '11', '12']);
      await page.locator('.figures').getByText('11:00 – 12:00').waitFor();
      await page.locator('.legend').getByText('Not over yet').waitFor();
    },
  );

  test('shows the values of an hour by mouse and by keyboard, and all of them as a table', async () => {
    const page = await openPage('#/stores/S-1');
    const bars = chart(page);
    await bars.locator('svg').first().waitFor();
    const box = await bars.boundingBox();
    if (box === null) throw new Error('no chart');
    await bars.hover({ position: { x: 36 + (box.width - 36) * 0.3, y: 80 } });
    await bars.locator('.tip').getByText('09:00 – 10:00').waitFor();
    await expect.poll(() => bars.locator('.tip dd').first().textContent()).toBe('5');
    await page.mouse.move(0, 0);
    await bars.focus();
    await page.keyboard.press('End');
    await bars.locator('.tip').getByText('Not over yet').waitFor();
    await page.keyboard.press('ArrowLeft');
    await bars.locator('.tip').getByText('Not over yet').waitFor({ state: 'detached' });
    /* The present hour, the last one, may end during the test. */
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    await bars.locator('.tip').getByText('09:00 – 10:00').waitFor();
    await page.keyboard.press('Escape');
    expect(await bars.locator('.tip').count()).toBe(0);
    await page.getByText('Show as a table').click();
    await page.getByRole('row', { name: /^09:00 – 10:00 5/ }).waitFor();
  });

  test('explains why in minus out differs from inside, and calls a store full only when it is', async () => {
    const page = await openPage('#/stores/S-1');
    const inside = page.locator('.figures [data-store="S-1"]');
    await inside.getByText('14', { exact: true }).waitFor();
    await page
      .getByText('14 came in and 2 went out, but 14 are inside because the number never falls below zero.')
      .waitFor();
    const setCapacity = (capacity: number | null) =>
      served().rows.query(`update store set capacity = $1 where sid = 'S-1'`, [capacity]);
    onTestFinished(() => void setCapacity(null));
    await setCapacity(15);
    await inside.getByText('Nearly full, 93% of capacity').waitFor();
    await setCapacity(12);
    await inside.getByText('Full, 2 too many').waitFor();
    await expect.poll(() => inside.locator('.number').textContent()).toBe('14');
  });

  test('has no number where the store had not begun to count yet', async () => {
    const page = await openPage('#/stores/S-3?range=2026-10-01..2026-10-20');
    const figures = page.locator('.figures');
    await figures.getByText('No data yet').waitFor();
    expect(await figures.locator('.number').allTextContents()).toEqual(['–', '–', '–', '–']);
    await page.locator('.visitors-card').getByText('No data yet').waitFor();
    expect(await page.getByText('Show as a table').count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Doors' }).count()).toBe(0);
    await page.goto(`${served().pageUrl}#/stores/S-3?range=2026-11-08..2026-11-11`);
    await figures.getByText('counted on 2 of 4 days').waitFor();
    const numbers = () => figures.locator('.number').allTextContents();
    await expect.poll(numbers).toEqual(['12', '6', '7', '6']);
    const rows = page.locator('.visitors-card details tbody tr td:nth-child(2)');
    expect(await rows.allTextContents()).toEqual(['7', '5']);
    await page.goto(`${served().pageUrl}#/?range=2026-10-01..2026-10-20`);
    await page.locator('[data-row="S-3"]').getByText('No data yet').waitFor();
    await expect.poll(() => page.locator('[data-row="S-3"] .visitors b').textContent()).toBe('–');
  });

  test('speaks the language of the browser, or the one that was chosen', async () => {
    const page = await open(`${served().pageUrl}#/stores/S-1`, { locale: 'de-DE' });
    await page.getByLabel('Zugangsschlüssel').fill(staffToken);
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await page.getByText('Gerade im Laden').waitFor();
    for (const [language, words] of [
      ['Español', 'Dentro ahora'],
      ['Slovenščina', 'Trenutno v trgovini'],
    ] as const) {
      await page.locator('header.frame .menu summary').click();
      await page.getByRole('button', { name: language }).click();
      await page.getByText(words).waitFor();
    }
    await page.reload();
    await page.getByText('Trenutno v trgovini').waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('sl');
  });

  test.each(['light', 'dark'] as const)(
    'has no accessibility violations in %s, at any width',
    async (colorScheme) => {
      for (const [address, width] of [
        ['', 390],
        ['?range=7d', 820],
        ['?range=year&compare=year', 1920],
      ] as const) {
        const page = await openPage(`#/stores/S-1${address}`, { colorScheme, width });
        await page.locator('.heatmap').waitFor();
        expect(await accessibilityViolations(page), address).toEqual([]);
        expect(await overflowing(page), address).toEqual([]);
        await page.getByRole('button', { name: 'Dates' }).click();
        expect(await accessibilityViolations(page), `${address} dates`).toEqual([]);
        await page.context().close();
      }
    },
  );
});
