import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browserForTests, browserNames, signIn } from './browser.ts';
import { companyForTests, mainStore } from './served-company.ts';
import { staffToken } from './served-page.ts';

/** Presses a button by the keyboard. */
async function press(button: Locator): Promise<void> {
  await button.focus();
  await button.press('Enter');
}

const hasFocus = (element: Locator) =>
  expect.poll(() => element.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);

describe.each(browserNames)('in %s', (name) => {
  const served = companyForTests();
  const open = browserForTests(name);
  const openAt = async (address: string, height = 900): Promise<Page> => {
    const { pageUrl } = served();
    const page = await open(`${pageUrl}${address}`, { height });
    await signIn(page, staffToken);
    await page.locator('#content').waitFor();
    /* Browsers show the focus of those who use the keyboard. */
    await page.keyboard.press('Tab');
    return page;
  };

  test('keeps the focus on a menu after a choice, and moves it to the heading after a choice of language', async () => {
    const page = await openAt(`#/stores/${mainStore}`);
    const compare = page.locator('.range-picker summary');
    await press(compare);
    await page.keyboard.press('Tab');
    await press(page.getByRole('link', { name: 'Day before' }));
    await compare.getByText('Day before').waitFor();
    await hasFocus(compare);

    await press(page.locator('header.frame summary'));
    await press(page.getByRole('button', { name: 'Deutsch' }));
    await page.getByRole('link', { name: 'Filialen', exact: true }).waitFor();
    await hasFocus(page.getByRole('heading', { level: 1 }));
  });

  test('moves the focus to the element before a removed entry, and never out of an open dialog', async () => {
    const page = await openAt('#/settings');
    const remove = page.getByRole('button', { name: 'Remove' });
    await expect.poll(() => remove.count()).toBe(2);
    await remove.last().focus();
    await page.keyboard.down('Enter');
    await hasFocus(remove);
    /* A key that is held is pressed again and again, and must not remove the next entry as well. */
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.evaluate('new Promise(requestAnimationFrame)');
    expect(await remove.count()).toBe(1);

    await page.goto(`${served().pageUrl}#/stores/${mainStore}`);
    await press(page.getByRole('button', { name: 'Staff came in' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Staff', { exact: true }).press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await press(page.getByRole('button', { name: 'Staff came in' }));
    await press(dialog.getByRole('button', { name: 'Undo' }).last());
    await dialog.getByText('undone by').waitFor();
    await hasFocus(dialog.getByRole('button', { name: 'Save' }));
  });

  test('keeps the focus on a row of a list that gets another place', async () => {
    const page = await openAt('#/');
    const rows = page.locator('.store-row');
    await expect.poll(() => rows.count()).toBeGreaterThan(8);
    const row = page.locator(`[data-row="${await rows.nth(4).getAttribute('data-row')}"]`);
    await row.focus();
    await row.evaluate((one) => {
      const item = one.closest('li');
      item?.parentElement?.append(item);
    });
    await hasFocus(row);
  });

  test('does not move the focus of a user who does not use the keyboard', async () => {
    const page = await openAt('#/settings');
    const remove = page.getByRole('button', { name: 'Remove' });
    await remove.last().click();
    await expect.poll(() => remove.count()).toBe(1);
    expect(await page.evaluate('document.activeElement === document.body')).toBe(true);
  });

  test('shows the focused element below the header', async () => {
    const page = await openAt('#/', 600);
    const rows = page.locator('.store-row');
    await expect.poll(() => rows.count()).toBeGreaterThan(8);
    await rows.last().focus();
    const header = await page.locator('header.frame').boundingBox();
    for (let n = 2; n <= 8; n += 1) {
      await page.keyboard.press('Shift+Tab');
      await hasFocus(rows.nth(-n));
      const row = await rows.nth(-n).boundingBox();
      expect(row?.y).toBeGreaterThanOrEqual(header?.height ?? Number.POSITIVE_INFINITY);
    }
  });
});
