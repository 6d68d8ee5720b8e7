import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserForTests } from './browser.ts';
import { type Crossing, historyForTests } from './served-history.ts';
import { staffToken } from './served-page.ts';

const store = 'Trubarjeva cesta, nova trgovina';
const door = 'Haupteingang zur Fußgängerzone';
const { served } = historyForTests(
  [store, 'Calle Mayor', 'Am Marktplatz 12', 'New Street'].map((name, index) => ({
    ...{ sid: `S-${index}`, name, timeZone: 'Etc/GMT' },
    crossings: [{ at: Date.now() - 60_000, direction: 1 } satisfies Crossing],
  })),
);
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

test.each(
  ['en', 'de', 'es', 'sl'].flatMap((code) => [390, 820, 1440].map((width) => ({ code, width }))),
)('shows pages, names and periods whole, and controls in lines, in $code at $width px', async ({
  code,
  width,
}) => {
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
});
