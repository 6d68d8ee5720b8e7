import { describe, expect, test } from 'vitest';
import { browserForTests, browserNames, signIn } from './browser.ts';
import { servedPage, staffToken } from './served-page.ts';

describe.each(browserNames)('in %s', (name) => {
  const open = browserForTests(name);

  test('asks before an implausible number, and keeps what was entered as one entry while the server does not answer', async () => {
    const { pageUrl, rows, api } = await servedPage();
    await rows.query('update store set capacity = 300');
    const page = await open(`${pageUrl}#/stores/S-1`, { timeZone: 'Pacific/Auckland' });
    await signIn(page, staffToken);
    const entries = () => rows.query('select people, entered_by, note from entry');
    const clock = (ago = 0) =>
      new Date(Date.now() - ago).toLocaleTimeString('en-GB', {
        timeZone: 'UTC',
        hour: '2-digit',
        minute: '2-digit',
      });
    const set = page.getByRole('button', { name: 'Set', exact: true });

    /* Until the cards are loaded, the button moves. */
    await page.getByText('Nobody has set the number today').waitFor();
    await page.locator('[aria-busy]').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Set the number' }).click();
    await page.getByRole('spinbutton', { name: 'People inside' }).fill('2500');
    await page.getByLabel('Your name').fill('Kim');
    await page.getByLabel('Note').fill('closing');
    /* Two presses are not an answer to the question. */
    await set.click();
    await page.getByText('more than twice the capacity of 300').waitFor();
    await set.click();
    expect(await page.getByRole('checkbox', { name: 'Yes, it is right' }).isChecked()).toBe(false);
    expect(await entries()).toEqual([]);
    /* In Firefox, `fill` adds to what is in the field. */
    await page.getByRole('spinbutton', { name: 'People inside' }).clear();
    await page.getByRole('spinbutton', { name: 'People inside' }).fill('250');

    /* A server that does not run may store what it has received later. */
    api.child.kill('SIGSTOP');
    /* The page knows the time of the server as exactly as the server has answered fast, within ten seconds. */
    const times = [clock(10_000), clock()];
    await set.click();
    times.push(clock());
    const words = page.getByText('The server does not answer');
    await words.waitFor();
    await expect
      .poll(() => words.textContent())
      .toMatch(new RegExp(`Your number of (${times.join('|')}) is kept`));
    api.child.kill('SIGCONT');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Set the number' }).click();
    expect(await page.getByRole('spinbutton', { name: 'People inside' }).inputValue()).toBe('250');
    expect(await page.getByLabel('Note').inputValue()).toBe('closing');
    await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click();

    await page.locator('[data-store="S-1"] .number').getByText('250', { exact: true }).waitFor();
    await page.getByText('Kim set the number to 250').waitFor();
    expect(await entries()).toEqual([{ people: 250, entered_by: 'Kim', note: 'closing' }]);

    await page.getByRole('button', { name: 'Set the number', exact: true }).click();
    await page.getByRole('spinbutton', { name: 'People inside' }).fill('2500');
    await set.click();
    await page.getByRole('checkbox', { name: 'Yes, it is right' }).check();
    await set.click();
    await page.getByText('Kim set the number to 2,500').waitFor();
  });
});
