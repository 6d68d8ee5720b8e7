import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { accessibilityViolations, browserForTests, browserNames, overflowing, signIn } from './browser.ts';
import { servedPage, staffToken } from './served-page.ts';

const phone = { width: 390, height: 844, hasTouch: true };

/** The page of the door CU-1 on a phone, where tapping has begun. */
async function atTheDoor(open: ReturnType<typeof browserForTests>, colorScheme: 'light' | 'dark' = 'light') {
  const served = await servedPage();
  const page = await open(`${served.pageUrl}#/devices`, { ...phone, colorScheme });
  await signIn(page, staffToken);
  await page.getByRole('link', { name: /^Check/ }).click();
  await page.getByRole('heading', { name: /^Check / }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(await overflowing(page)).toEqual([]);
  await page.getByRole('button', { name: 'Begin' }).click();
  await button(page, 'In').waitFor();
  return { ...served, page };
}

const button = (page: Page, way: 'In' | 'Out') =>
  page.getByRole('button', { name: new RegExp(`^${way} \\d`) });

/** The numbers on the two buttons. */
async function tapped(page: Page): Promise<string[]> {
  return [await button(page, 'In').textContent(), await button(page, 'Out').textContent()].map((text) =>
    (text ?? '').replace(/\s+/g, ' '),
  );
}

describe.each(browserNames)('in %s', (name) => {
  const open = browserForTests(name);

  /* The unit reports once a minute; that does not depend on the browser. */
  test.skipIf(name === 'firefox')(
    'compares taps with what the unit counted, through a lost connection and a reload',
    async () => {
      const { page, walkAt, rows } = await atTheDoor(open);
      const pass = async (way: 'In' | 'Out') => {
        await button(page, way).click();
        await page.waitForTimeout(1_100);
      };
      for (const way of ['In', 'Out', 'In', 'In'] as const) await pass(way);
      await page.context().setOffline(true);
      for (const way of ['In', 'Out'] as const) await pass(way);
      const uncounted = 6;
      await pass('In');
      await page.context().setOffline(false);
      await page.reload();
      await page.getByRole('button', { name: 'Continue' }).click();
      await pass('Out');
      await button(page, 'Out').click();
      await page.getByRole('button', { name: 'Undo' }).click();
      expect(await tapped(page)).toEqual(['In 5', 'Out 3']);
      const taps: [at: number, direction: 'in' | 'out'][] = await page.evaluate(
        "JSON.parse(localStorage.getItem('audit CU-1')).passages",
      );
      /* The unit's instant is that of leaving the beams; the person taps 0.8 s later. */
      const walkers = taps
        .filter((_, index) => index !== uncounted)
        .map(([at, direction]) => ({ at: at - 1_400, direction }));

      await page.getByRole('button', { name: 'Finish' }).click();
      await page.getByLabel('Your name').fill('Kim');
      await page.getByLabel('Note').fill('sunny');
      await page.context().setOffline(true);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Not saved yet').waitFor();
      await page.context().setOffline(false);
      await page.getByText('Saved. The result follows').waitFor();
      expect(await page.evaluate("localStorage.getItem('audit CU-1')")).toBe(null);

      await walkAt(walkers);
      await page.getByText('In: 5 seen, 4 counted').first().waitFor({ timeout: 150_000 });
      await page.getByText('Out: 3 seen, 3 counted').first().waitFor();
      await page.getByText('too few people to judge (8 of at least 100)').first().waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      const [stored, ...others] = await rows.query('select entered_by, note from accuracy_audit');
      expect([stored, others]).toEqual([{ entered_by: 'Kim', note: 'sunny' }, []]);
    },
    300_000,
  );

  test('counts every fast tap once, also of the keyboard and of two windows', async () => {
    const { page, pageUrl } = await atTheDoor(open, 'dark');
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(await overflowing(page)).toEqual([]);
    await button(page, 'In').press('Enter');
    await page.getByRole('button', { name: 'Undo' }).press('Space');
    /* Once more: there is nothing to take back, and nobody to count. */
    await page.keyboard.press('Space');
    expect(await tapped(page)).toEqual(['In 0', 'Out 0']);
    const box = await button(page, 'In').boundingBox();
    expect(box?.height).toBeGreaterThan(300);
    for (let n = 0; n < 20; n += 1) await button(page, 'In').dblclick({ delay: 0 });
    for (let n = 0; n < 5; n += 1) await page.keyboard.press('Enter');
    await button(page, 'Out').focus();
    await page.keyboard.press('Space');
    expect(await tapped(page)).toEqual(['In 45', 'Out 1']);

    const other = await page.context().newPage();
    await other.goto(`${pageUrl}#/audit/CU-1`);
    await other.getByRole('button', { name: 'Continue' }).click();
    await button(other, 'Out').click();
    /* The browser does not show a tap in the other window immediately. */
    await button(page, 'Out').getByText('2').waitFor();
    await button(page, 'Out').click();
    await button(page, 'Out').getByText('3').waitFor();
    expect(await tapped(page)).toEqual(['In 45', 'Out 3']);
  });

  test('uploads a list, names the line that cannot be used, and keeps the taps of a check that is not finished', async () => {
    const { page, pageUrl } = await atTheDoor(open);
    await button(page, 'In').click();
    await page.goto(`${pageUrl}#/devices`);
    await page.getByRole('link', { name: /^Check/ }).click();
    await page.getByText('Upload a list').click();
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    const csv = (text: string) => ({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await page.getByLabel('File').setInputFiles(csv('2026-11-20 10:00:00,in\n2026-11-20 10:00:09,up\n'));
    await page.getByLabel('Your name').fill('Kim');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('Line 2 cannot be used: up').waitFor();
    await page.getByLabel('File').setInputFiles(csv('2026-11-20 10:00:00,in\n2026-11-20 10:00:09,out\n'));
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('2 people seen. The counter has not delivered').waitFor();
    expect(addresses.filter((address) => address.includes('Kim'))).toEqual([]);
    expect(await page.getByLabel('File').inputValue()).toBe('');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Upload');
    await page.getByText('A check with 1 person is not finished').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Begin' }).waitFor();
  });
});
