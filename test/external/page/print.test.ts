import { expect, test } from 'vitest';
import { browserForTests, overflowing, signIn } from './browser.ts';
import { historyForTests } from './served-history.ts';
import { servedPage, staffToken } from './served-page.ts';

const open = browserForTests('chromium');
const { served } = historyForTests(
  ['Main Street', 'Side Street'].map((name, index) => ({
    ...{ sid: `S-${index + 1}`, name, timeZone: 'Etc/GMT' },
    crossings: [{ at: Date.now() - 60_000, direction: 1 }],
  })),
);

/** The width of A4 between its margins (CSS px). */
const paper = 703;

test('prints a store on A4: light, with its charts and period, without buttons', async () => {
  const { pageUrl, rows, deviceId, storeId } = await servedPage();
  const journalId = await rows.journal(deviceId, 'printed');
  const yesterday = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 86_400_000;
  await rows.crossings(
    Array.from({ length: 288 }, (_, n) => ({
      journalId,
      deviceId,
      storeId,
      direction: 1 as const,
      sequence: n + 1,
      at: yesterday + n * 300_000,
    })),
  );
  const page = await open(`${pageUrl}#/stores/S-1?range=4w`, { colorScheme: 'dark' });
  await signIn(page, staffToken);
  const chart = page.locator('.chart svg').first();
  await chart.waitFor({ timeout: 100_000 });
  const wide = (await chart.boundingBox())?.width ?? 0;
  await page.getByText('Not checked yet').waitFor();

  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: paper, height: 1_000 });
  await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
  await expect.poll(async () => (await chart.boundingBox())?.width).toBeLessThanOrEqual(paper);
  expect(wide).toBeGreaterThan(paper);
  expect(await overflowing(page)).toEqual([]);
  const rightOf = async (selector: string) => {
    const box = await page.locator(selector).boundingBox();
    return box ? box.x + box.width : Number.NaN;
  };
  expect(await rightOf('.heatmap')).toBeLessThan(await rightOf('.card:has(.heatmap)'));
  expect(await page.getByRole('navigation').isVisible()).toBe(false);
  /* The heads of columns are buttons that look like text. */
  const buttons = page.getByRole('button').and(page.locator(':not(.sorter)'));
  expect(await buttons.filter({ visible: true }).count()).toBe(0);
  expect(await page.getByRole('link').filter({ visible: true }).count()).toBe(0);
  await expect.poll(() => page.locator('.shown-days').textContent()).toMatch(/20\d\d$/);
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');

  /* Closed by the browser after it has printed. */
  await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
  await page.emulateMedia({ media: 'screen' });
  await page.setViewportSize({ width: 1_440, height: 900 });
  await expect.poll(async () => (await chart.boundingBox())?.width).toBe(wide);
  const pdf = await page.pdf({ preferCSSPageSize: true });
  expect(pdf.toString('latin1')).toMatch(/\/MediaBox \[0 0 59\d(\.\d+)? 84\d(\.\d+)?\]/);
});

test('prints the list of stores with its period', async () => {
  const { pageUrl } = await servedPage();
  const page = await open(`${pageUrl}#/?range=2026-10-01..2026-10-20`);
  await signIn(page, staffToken);
  await page.emulateMedia({ media: 'print' });
  await page.getByText(/Thursday,? 1 October 2026 – Tuesday,? 20 October 2026/).waitFor({ timeout: 100_000 });
  await page.locator('header').getByText('Acme').waitFor();
});

test('prints closed stores as well, and nothing of today with another day', async () => {
  const { pageUrl, rows } = served();
  await rows.query(`update store set opening_hours = '{"week":{},"exceptions":[]}' where sid = 'S-2'`);
  await rows.query(`insert into alert (company_id, kind, subject, about, began_at, raised_at)
    select id, 'service-unavailable', '', '{}', now(), now() from company`);
  const page = await open(pageUrl);
  await signIn(page, staffToken);
  const fold = page.getByRole('button', { name: /Closed now/ });
  await fold.waitFor({ timeout: 100_000 });
  const closed = page.getByText('Side Street');
  expect(await closed.isVisible()).toBe(false);
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
  await closed.waitFor();
  await page.getByRole('heading', { name: 'Closed now: 1 store' }).waitFor();
  const alert = page.getByText('No numbers of any store can be received');
  await alert.waitFor();

  await page.goto(`${pageUrl}#/?range=yesterday`);
  await page.getByText('Same day last week: ').or(page.locator('.store-row')).first().waitFor();
  await expect.poll(() => alert.isVisible()).toBe(false);
  await page.goto(`${pageUrl}#/stores/S-1?range=yesterday`);
  await page.locator('.doors, .figures').first().waitFor();
  expect(await page.getByText('Alerts of the last 24 hours').isVisible()).toBe(false);
});
