import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { browserForTests, signIn } from './browser.ts';
import { type Crossing, historyForTests, zoneOfNoon } from './served-history.ts';
import { staffToken } from './served-page.ts';

const hour = 3_600_000;
const now = Date.now();
const { served } = historyForTests([
  { sid: 'S-1', name: 'Main Street', timeZone: zoneOfNoon(now), crossings: morning() },
]);

/** Three people at half past eight, and seven at half past ten. */
function morning(): Crossing[] {
  const noon = now - (now % hour);
  const group = (hours: number, count: number) =>
    Array.from(
      { length: count },
      (_, n): Crossing => ({ at: noon - hours * hour + n * 10_000, direction: 1 }),
    );
  return [...group(3.5, 3), ...group(1.5, 7)];
}

/* Firefox's protocol has no downloads yet. */
describe('in chromium', () => {
  const open = browserForTests('chromium');
  const openStore = async () => {
    const page = await open(`${served().pageUrl}#/stores/S-1`);
    await signIn(page, staffToken);
    await page.locator('.visitors-card .chart svg').first().waitFor();
    return page;
  };

  test('saves the numbers of the chart in two clicks', async () => {
    const page = await openStore();
    for (const [button, ending] of [
      ['CSV', 'csv'],
      ['Excel (XLSX)', 'xlsx'],
    ] as const) {
      const saved = page.waitForEvent('download');
      await page.getByText('Download', { exact: true }).click();
      await page.getByRole('link', { name: button }).click();
      const download = await saved;
      expect(download.suggestedFilename()).toMatch(new RegExp(`\\.${ending}$`));
      const content = await readFile(await download.path());
      if (ending === 'xlsx') expect(content.subarray(0, 2).toString()).toBe('PK');
      else expect(content.toString().match(/,7,/g)).toHaveLength(1);
    }
  });

  test('shows the conversion of complete hours, and why there is none of today', async () => {
    const at = new Date(now - (now % hour) - 1.5 * hour).toISOString();
    const answer = await fetch(`${served().pageUrl}v1/sales`, {
      method: 'POST',
      headers: { authorization: `Bearer ${staffToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ items: [{ store: 'S-1', at, transactions: 3, amount: '30.00', id: 'till 1' }] }),
    });
    expect(answer.status).toBe(200);
    const page = await openStore();
    const conversion = page.locator('.figures > div', { hasText: 'Conversion' });
    await conversion.getByText('Not over yet').waitFor();
    await expect.poll(() => conversion.locator('.number').textContent()).toBe('–');
    await page.getByText('Show as a table').click();
    await page.getByRole('row', { name: /^10:00 – 11:00 7 .* 43%/ }).waitFor();
  });

  test('folds closed hours, the present one too, says how many came in them, and leaves them out of the busiest', async () => {
    const page = await openStore();
    const labels = page.locator('.visitors-card .chart svg').first().locator('text[text-anchor="middle"]');
    expect((await labels.allTextContents()).slice(0, 5)).toEqual(['08', '09', '10', '11', '12']);
    await setHours('10:00-18:00');
    await page.getByText('3 visitors while the store was closed').waitFor();
    expect((await labels.allTextContents()).slice(0, 3)).toEqual(['10', '11', '12']);
    await page.getByRole('button', { name: 'Show closed hours' }).click();
    await page.locator('.visitors-card').getByText('08', { exact: true }).waitFor();

    await setHours('08:00-10:00');
    await page.reload();
    await page.getByText('7 visitors while the store was closed').waitFor();
    expect(await labels.allTextContents()).toEqual(['08', '09']);
    await page.locator('.figures').getByText('08:00 – 09:00').waitFor();
  });

  /** The same on every day. */
  const setHours = async (hours: string) => {
    const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
    const week = Object.fromEntries(days.map((day) => [day, [hours]]));
    const answer = await fetch(`${served().pageUrl}v1/stores/S-1/settings`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${staffToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ openingHours: { week, exceptions: [] } }),
    });
    expect(answer.status).toBe(200);
  };

  test('leaves staff out of the visitors whose arrival is declared, and not of the people inside', async () => {
    const page = await openStore();
    const figures = page.locator('.figures');
    await figures.locator('.number').first().getByText('10').waitFor();
    await page.getByRole('button', { name: 'Staff came in' }).click();
    await page.getByRole('dialog').waitFor();
    /* The second press of a double click is next to the dialog, and does not close it. */
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await page.getByRole('dialog').getByLabel('Staff').fill('2');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await figures.locator('.number').first().getByText('8').waitFor();
    await figures.getByText('2 staff subtracted').waitFor();
    await expect.poll(() => figures.locator('[data-store="S-1"] .number').textContent()).toBe('10');
  });
});
