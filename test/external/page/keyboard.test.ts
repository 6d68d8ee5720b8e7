import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { browserForTests, browserNames, signIn } from './browser.ts';
import { companyForTests, mainStore } from './served-company.ts';
import { staffToken } from './served-page.ts';

/** Presses a button by the keyboard. A user comes to it by another key than Enter. */
async function press(button: Locator): Promise<void> {
  await button.press('Shift');
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
    await press(dialog.getByLabel('Staff', { exact: true }));
    await dialog.waitFor({ state: 'hidden' });
    await press(page.getByRole('button', { name: 'Staff came in' }));
    await press(dialog.getByRole('button', { name: /^Undo: .*: 1 person$/ }).last());
    const entry = dialog.getByRole('listitem').filter({ hasText: 'undone by' });
    await entry.waitFor();
    await hasFocus(entry);
  });

  test('takes a double press of Enter on a button for one press', async () => {
    const page = await openAt(`#/stores/${mainStore}`);
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') requests.push(request.url());
    });
    /* All presses are at the same time. */
    await page.evaluate('{ const at = Date.now(); globalThis.now = Date.now; Date.now = () => at; }');
    await press(page.getByRole('button', { name: 'Staff came in' }));
    const field = page.getByRole('dialog').getByLabel('Staff', { exact: true });
    await hasFocus(field);
    await page.keyboard.press('Enter');
    await page.evaluate('Date.now = () => now.call(Date) + 1_000');
    await page.keyboard.press('Enter');
    await page.getByText('1 person does not count').waitFor();
    expect(requests).toHaveLength(1);
  });
});
