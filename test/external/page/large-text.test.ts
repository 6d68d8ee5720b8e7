import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserForTests, clipped, overflowing, overlapping } from './browser.ts';
import { closedStore, companyForTests, mainStore } from './served-company.ts';
import { staffToken } from './served-page.ts';

const width = 390;

/** The pages, and what they show last. */
const addresses = {
  '#/': '.store-row',
  [`#/stores/${mainStore}`]: '.heatmap',
  '#/devices': '.door-row',
  '#/reports': '.report-list',
  '#/settings': '.rules',
  [`#/settings/${mainStore}`]: '.days',
  '#/audit/CU-011': '.hints',
};

/** Opens each menu of a page, and returns those that reach beyond the screen. */
async function menusBeyond(page: Page): Promise<string[]> {
  const beyond: string[] = [];
  for (const menu of await page.locator('.menu').all()) {
    await menu.locator('summary').click();
    const box = await menu.locator('.panel').boundingBox();
    const [left = 0, right = 0] = box ? [box.x, box.x + box.width] : [];
    if (left < 0 || right > width) beyond.push(`${await menu.textContent()} ${left}..${right}`);
    await page.keyboard.press('Escape');
  }
  return beyond;
}

const served = companyForTests();
const open = browserForTests('chromium', 32);

const languages = ['en', 'de', 'es', 'sl'];

async function signedIn(page: Page): Promise<void> {
  await page.locator('input').fill(staffToken);
  await page.locator('button[type="submit"]').click();
  await page.locator('#content').waitFor();
}

test.each(languages)('fits on a phone with text twice as large, in %s', async (code) => {
  const { pageUrl } = served();
  const page = await open(pageUrl, { width, locale: code });
  await signedIn(page);
  for (const [address, selector] of Object.entries(addresses)) {
    await page.goto(`${pageUrl}${address}`);
    await page.locator(selector).first().waitFor();
    await expect.poll(() => overflowing(page), { message: address }).toEqual([]);
    expect(await menusBeyond(page), address).toEqual([]);
  }
});

test.each(languages)('fits even while the live stream does not answer, in %s', async (code) => {
  const page = await open(served().pageUrl, { width, locale: code });
  await page.route('**/v1/live', () => {});
  await signedIn(page);
  await page.locator('.contact-note').waitFor();
  await expect.poll(() => overflowing(page)).toEqual([]);
  expect(await menusBeyond(page)).toEqual([]);
});

test.each(languages)('shows whole tiles on the wall that do not overlap, in %s', async (code) => {
  const { pageUrl } = served();
  const page = await open(pageUrl, { width, height: 844, locale: code });
  await signedIn(page);
  for (const address of ['#/wall', `#/wall/${mainStore}`, `#/wall/${closedStore}`]) {
    await page.goto(`${pageUrl}${address}`);
    await page.locator('.tile .words, .tile .what').first().waitFor();
    const parts = '.tiles, .tile, .tile > *, .tile h2 > *, .wall-footer > *';
    await expect.poll(() => overlapping(page, parts), { message: address }).toEqual([]);
    await expect.poll(() => clipped(page), { message: address }).toEqual([]);
    await expect.poll(() => overflowing(page), { message: address }).toEqual([]);
  }
});

test.each(languages)('breaks no number in the values of a bar, in %s', async (code) => {
  const { pageUrl } = served();
  const page = await open(`${pageUrl}#/stores/${mainStore}`, { width, locale: code });
  await signedIn(page);
  const chart = page.locator('.visitors-card .chart');
  for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowRight']) {
    await chart.press(key);
    expect(await linesOf(page, '.tip dd')).not.toContain(2);
    expect(await overflowing(page)).toEqual([]);
  }
});

/** How many lines the text of each element has. */
async function linesOf(page: Page, selector: string): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll('${selector}')].map((e) => {
    const range = document.createRange();
    range.selectNodeContents(e);
    return range.getClientRects().length;
  })`);
}
