import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browserForTests, browserNames, clipped, overflowing, overlapping, signIn } from './browser.ts';
import { staffToken } from './served-page.ts';
import { storesForTests } from './served-stores.ts';

const screens = [
  [390, 844],
  [844, 390],
  [1080, 1920],
  [1920, 1080],
  [3840, 2160],
] as const;

const tiles = (page: Page) => page.locator('[data-tile]');

/** Signs in, and opens the wall of all stores or of one. */
async function wallAt(page: Page, pageUrl: string, address: string): Promise<void> {
  await signIn(page, staffToken);
  await page.locator('#content').waitFor();
  await page.goto(`${pageUrl}${address}`);
  await page.locator('[data-tile], .wall-words[role]').first().waitFor();
}

describe.each(browserNames)('in %s, 200 stores', (name) => {
  const served = storesForTests(200);
  const open = browserForTests(name);

  test('shows whole tiles that do not overlap on every screen, and every store on one of the pages', async () => {
    const { pageUrl, stores } = served();
    const page = await open(pageUrl);
    await wallAt(page, pageUrl, '#/wall');
    for (const [width, height] of screens) {
      await page.setViewportSize({ width, height });
      await page.locator('.page-mark').waitFor();
      /* The grid is computed again with the next frame. */
      await expect.poll(() => overflowing(page), { message: `${width}` }).toEqual([]);
      const parts = '.tiles, .tile, .tile > *, .wall-footer > *';
      await expect.poll(() => overlapping(page, parts), { message: `${width}` }).toEqual([]);
      await expect.poll(() => clipped(page), { message: `${width}` }).toEqual([]);
      expect(await tiles(page).count()).toBeLessThanOrEqual(9);
    }

    const seen = new Set<string>();
    const mark = page.locator('.page-mark');
    await page.keyboard.press(' ');
    for (let turn = 1; turn <= 23; turn += 1) {
      await mark.getByText(`Page ${turn} of 23`).waitFor();
      for (const tile of await tiles(page).all()) seen.add((await tile.getAttribute('data-tile')) ?? '');
      await page.keyboard.press('ArrowRight');
    }
    expect(seen.size).toBe(stores.length);
    await mark.getByText('Page 1 of 23').waitFor();
  });
});

describe.each(browserNames)('in %s, five stores', (name) => {
  const served = storesForTests(5);
  const open = browserForTests(name);

  test('shows people at the entrance whether to come in, and the clock of the store', async () => {
    const { pageUrl, walkIn, stores } = served();
    const page = await open(pageUrl, { timeZone: 'Pacific/Auckland' });
    await wallAt(page, pageUrl, '#/wall/S-0001');
    await page.getByText('Come in').waitFor();
    await walkIn('S-0001', 20);
    await page.getByText('Please wait').waitFor();
    expect(await overflowing(page)).toEqual([]);

    const timeZone = stores[1]?.timeZone;
    await page.goto(`${pageUrl}#/wall/S-0002`);
    const clock = page.locator('.wall-clock');
    await clock.waitFor();
    await expect
      .poll(async () => (await clock.textContent())?.replace(/^0/, ''))
      .toBe(
        new Date()
          .toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' })
          .replace(/^0/, ''),
      );
  });

  test('says that a store is closed and when it opens, on the wall and on its page, in every language', async () => {
    const { pageUrl, rows } = served();
    const tomorrow = new Date(Date.now() + 86_400_000);
    const nameIn = (locale: string) =>
      tomorrow.toLocaleDateString(locale, { weekday: 'long', timeZone: 'Europe/London' });
    const hours = { week: { [nameIn('en-GB').toLowerCase()]: ['09:00-17:00'] }, exceptions: [] };
    await rows.query(`update store set opening_hours = $1 where sid = 'S-0001'`, [JSON.stringify(hours)]);
    const page = await open(pageUrl);
    await wallAt(page, pageUrl, '#/wall/S-0001');
    const sign = page.locator('[data-tile="S-0001"]');
    await sign.getByText('Closed', { exact: true }).waitFor();
    await sign.getByText(`opens ${nameIn('en-GB')}, 09:00`).waitFor();
    expect(await page.getByText(/Come in|Please wait/).count()).toBe(0);
    expect([await overflowing(page), await clipped(page)]).toEqual([[], []]);
    await page.goto(`${pageUrl}#/wall`);
    await sign.getByText(`Closed, opens ${nameIn('en-GB')}, 09:00`).waitFor();
    expect(await clipped(page)).toEqual([]);

    await page.goto(`${pageUrl}#/stores/S-0001`);
    for (const [language, words] of [
      ['English', `Closed, opens ${nameIn('en-GB')}, 09:00`],
      ['Deutsch', `Geschlossen, öffnet ${nameIn('de-DE')}, 09:00`],
      ['Español', `Cerrada, abre el ${nameIn('es-ES')}, 09:00`],
      ['Slovenščina', `Zaprto, odpre se: ${nameIn('sl-SI')}, 09:00`],
    ] as const) {
      await page.locator('header.frame .menu summary').click();
      await page.getByRole('button', { name: language }).click();
      await page.locator('.closed-now').getByText(words).waitFor();
    }
    await rows.query('update store set opening_hours = null');
  });
});

describe.each(browserNames)('in %s, without a database', (name) => {
  const served = storesForTests(3);
  const open = browserForTests(name);

  test('shows no number on the wall, and the time of the last one, which does not advance', async () => {
    const { pageUrl, database } = served();
    const page = await open(pageUrl);
    await wallAt(page, pageUrl, '#/wall/S-0001');
    const list = await page.context().newPage();
    await list.goto(pageUrl);
    await list.locator('[data-contact="live"] [data-kept="false"] [data-row="S-0001"]').waitFor();
    const clock = () =>
      new Date().toLocaleTimeString('en-GB', {
        timeZone: 'Europe/London',
        hour: 'numeric',
        minute: '2-digit',
      });
    await database.disconnect();
    const last = [clock()];
    await page.getByText('No contact').waitFor();
    last.push(clock());
    const words = await page.locator('.wall-words').textContent();
    expect(
      last.some((time) => words?.includes(time)),
      `${words} ${last}`,
    ).toBe(true);
    expect(await tiles(page).count()).toBe(0);
    const colourOf = (selector: string) =>
      list.evaluate(`getComputedStyle(document.querySelector('${selector}')).color`);
    await list.locator('main[data-contact="stale"]').waitFor();
    expect(await colourOf('[data-total="visitors"] b')).toBe(await colourOf('.rank'));
    await expect.poll(() => page.locator('.wall-words').textContent()).toBe(words);
    await database.reconnect();
    await page.locator('[data-tile="S-0001"]').waitFor();
  });
});
