import { expect, test } from 'vitest';
import { browserForTests, overflowing, signIn } from './browser.ts';
import { servedPage, staffToken } from './served-page.ts';

const open = browserForTests('chromium');
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
  await chart.waitFor();
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
