import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserForTests, overflowing, signIn } from './browser.ts';
import { type Crossing, historyForTests } from './served-history.ts';
import { staffToken } from './served-page.ts';

const store = 'Trubarjeva cesta, nova trgovina';
const door = 'Haupteingang zur Fußgängerzone';
const { served } = historyForTests(
  [store, 'Calle Mayor', 'Am Marktplatz 12', 'New Street'].map((name, index) => ({
    ...{ sid: `S-${index}`, name, timeZone: 'Etc/GMT' },
    crossings: index === 0 ? peopleOfYesterday() : [{ at: Date.now() - 60_000, direction: 1 }],
  })),
);

/** A hundred in each of 14 hours. */
function peopleOfYesterday(): Crossing[] {
  const midnight = Math.floor(Date.now() / 86_400_000 - 1) * 86_400_000;
  return Array.from({ length: 1_400 }, (_, n) => ({
    at: midnight + 8 * 3_600_000 + n * 36_000,
    direction: 1,
  }));
}

const open = browserForTests('chromium');

/** The parts of a page whose text is not visible as a whole. */
const cut = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('header nav, .segmented, .name-cut')]
    .filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1)
    .map((e) => e.className + ' ' + e.textContent)`);

/** The controls that begin a line of their own somewhere else than where the first one begins. */
const indented = (page: Page, selector: string) =>
  page.evaluate(`(() => {
    const boxes = [...document.querySelectorAll(${JSON.stringify(selector)})]
      .map((e) => ({ e, box: e.getBoundingClientRect() })).filter(({ box }) => box.width > 1);
    return boxes.filter(({ box }) =>
      !boxes.some((other) => other.box.left < box.left && other.box.top < box.bottom && box.top < other.box.bottom) &&
      Math.abs(box.left - boxes[0].box.left) > 1).map(({ e }) => e.textContent);
  })()`);

/** The pages, and what they show last. */
const addresses = { '#/': '.store-row', '#/stores/S-0': '.doors', '#/devices': '.door-row' };

test.each(['en', 'de', 'es', 'sl'].flatMap((code) => [390, 820, 1440].map((width) => ({ code, width }))))(
  'shows pages, names and periods whole, and controls in lines, in $code at $width px',
  async ({ code, width }) => {
    const { pageUrl, rows } = served();
    await rows.query(`update company set name = 'Einzelhandel Nord GmbH'`);
    await rows.query(`update device set name = $1`, [door]);
    const page = await open(pageUrl, { width, locale: code });
    await page.locator('input').fill(staffToken);
    await page.locator('button[type="submit"]').click();
    await page.locator('.store-row').first().waitFor();
    for (const [address, selector] of Object.entries(addresses)) {
      await page.goto(`${pageUrl}${address}`);
      await page.locator(selector).first().waitFor();
      expect(await cut(page), address).toEqual([]);
      expect(await indented(page, '.range-picker > *'), address).toEqual([]);
    }
  },
);

test('shows the numbers of the hours of a week on a phone', async () => {
  const page = await open(`${served().pageUrl}#/stores/S-0?range=7d`, { width: 390 });
  await signIn(page, staffToken);
  const cell = page.locator('.heatmap .heat').getByText('100', { exact: true }).first();
  await cell.waitFor();
  expect(await cell.evaluate('(e) => getComputedStyle(e).fontSize')).not.toBe('0px');
  expect(await overflowing(page)).toEqual([]);
});

test('shows the conversion of a store in the list', async () => {
  const { pageUrl, rows } = served();
  await rows.query(
    `insert into sale (store_id, id, at, transactions, amount)
     select id, 'a', (current_date - 1) + time '12:00' at time zone 'UTC', 350, 1 from store where sid = 'S-0'`,
  );
  const page = await open(`${pageUrl}#/?range=yesterday`);
  await signIn(page, staffToken);
  await page.locator('[data-row="S-0"]').getByText('Conversion 25%').waitFor();
});
