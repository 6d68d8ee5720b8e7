import { describe, expect, test } from 'vitest';
import { accessibilityViolations, browserForTests, browserNames, signIn } from './browser.ts';
import { servedPage, staffToken } from './served-page.ts';

describe.each(browserNames)('in %s', (name) => {
  const open = browserForTests(name);

  test('signs in, updates the occupancy as people walk through, and stores no credential', async () => {
    const { pageUrl, walk } = await servedPage();
    const page = await open(pageUrl);
    const refused: string[] = [];
    page.on('console', (message) => refused.push(...(message.type() === 'error' ? [message.text()] : [])));
    await signIn(page, 'not the credential');
    await page.getByRole('alert').getByText('not valid').waitFor();
    await page.route('**/v1/session', (route) => route.fulfill({ status: 429, json: { detail: '' } }));
    await signIn(page, staffToken);
    await page.getByRole('alert').getByText('Too many attempts').waitFor();
    await page.unrouteAll();
    refused.length = 0;
    await signIn(page, staffToken);

    const number = page.locator('[data-store="S-1"] .number');
    await number.getByText('0', { exact: true }).waitFor();
    await walk(['in', 'in', 'in', 'out']);
    await number.getByText('2', { exact: true }).waitFor();

    expect(page.url()).not.toContain(staffToken);
    const kept = await page.evaluate(
      'JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])',
    );
    expect(kept).not.toContain(staffToken);
    expect(await page.evaluate('document.cookie')).toBe('');
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(refused).toEqual([]);
  });

  test('reports a server that does not answer or has ended, and shows the right number afterwards, without reloading', async () => {
    const { pageUrl, walk, api, startApiAgain } = await servedPage();
    const page = await open(pageUrl);
    await signIn(page, staffToken);
    const number = page.locator('[data-store="S-1"] .number');
    await number.getByText('0', { exact: true }).waitFor();
    await page.evaluate('window.sameDocument = true');
    const wall = await page.context().newPage();
    await wall.goto(`${pageUrl}#/wall/S-1`);
    await wall.locator('[data-store="S-1"]').waitFor();

    const isLost = async () => {
      await page.locator('[data-contact="lost"]').first().waitFor();
      await wall.getByText('No contact').waitFor();
      expect(await wall.locator('[data-store="S-1"]').count()).toBe(0);
    };
    api.child.kill('SIGSTOP');
    await isLost();
    api.child.kill('SIGCONT');
    await page.locator('.contact.live').waitFor();
    await wall.locator('[data-store="S-1"]').waitFor();

    await api.kill();
    await isLost();
    await walk(['in', 'in']);
    await startApiAgain();

    await number.getByText('2', { exact: true }).waitFor();
    await page.locator('.contact.live').waitFor();
    await wall.locator('[data-store="S-1"]').getByText('2').waitFor();
    expect(await page.evaluate('window.sameDocument')).toBe(true);
  });

  test('shows numbers although no event of the live stream arrives, and says that they are not live', async () => {
    const { pageUrl, walk } = await servedPage();
    const page = await open(`${pageUrl}#/stores/S-1`);
    /* As a proxy that waits until it has more of the answer. */
    await page.route('**/v1/live', () => {});
    await signIn(page, staffToken);

    await page.getByText('Live numbers do not get through to this device').waitFor();
    await page.locator('.contact').getByText('Every 5 seconds').waitFor();
    const number = page.locator('[data-store="S-1"] .number');
    await number.getByText('0', { exact: true }).waitFor();
    await walk(['in', 'in']);
    await number.getByText('2', { exact: true }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);

    await page.unrouteAll();
    await page.locator('.contact').getByText('Live', { exact: true }).waitFor();
  });

  test('sets the occupancy for staff who enter their name, marks it in the chart, and lets another person undo it', async () => {
    const { pageUrl, walk } = await servedPage();
    const page = await open(`${pageUrl}#/stores/S-1`);
    await signIn(page, staffToken);
    await walk(['in', 'in', 'in']);
    const number = page.locator('[data-store="S-1"] .number');
    await number.getByText('3', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Set the number' }).click();
    await page.getByRole('spinbutton', { name: 'People inside' }).fill('12');
    await page.getByLabel('Your name').fill('Kim');
    await page.getByText('12 instead of 3 inside (+9)').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await number.getByText('12', { exact: true }).waitFor();
    await page.getByText('Kim set the number to 12').waitFor();
    const marked = page.getByRole('img', { name: /Kim set the number from 3 to 12 \(\+9\)/ });
    await marked.waitFor();
    await page.locator('.visitors-card .chart').press('End');
    await page.locator('.tip').getByText('Kim set the number from 3 to 12 (+9)').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByLabel('Your name').fill('Lee');
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();

    await number.getByText('3', { exact: true }).waitFor();
    await page.getByText('undone by Lee').waitFor();
    await marked.waitFor({ state: 'detached' });
  });

  test('shows the open and the past problems of a store at a glance', async () => {
    const { pageUrl, rows, companyId, storeId } = await servedPage();
    const raise = (kind: string, clearedAt: string, about: object) =>
      rows.query(
        `insert into alert (company_id, kind, subject, store_id, about, began_at, raised_at, cleared_at)
       values ($1, $2, 'it', $3, $4, now() - interval '2 hours', now() - interval '2 hours', ${clearedAt})`,
        [companyId, kind, storeId, JSON.stringify(about)],
      );
    await raise('data-overdue', 'null', {});
    await raise('capacity-reached', `now() - interval '1 hour'`, { occupancy: 12, capacity: 10 });
    const page = await open(pageUrl);
    await signIn(page, staffToken);

    /* A counter that has never connected is more severe. */
    await page.getByTitle('Numbers are overdue').waitFor();
    expect(await page.getByText('The store is full').count()).toBe(0);
    await page.goto(`${pageUrl}#/stores/S-1`);
    const alerts = page.getByRole('region', { name: 'Alerts of the last 24 hours' }).getByRole('listitem');
    await alerts.first().waitFor();
    expect(await alerts.allInnerTexts()).toEqual([
      expect.stringMatching(/^Now: Numbers are overdue/),
      expect.stringMatching(/^Over: The store is full, with a capacity of 10 people .* to /),
    ]);
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  test('shows a limited credential only its own stores', async () => {
    const { pageUrl, rows, companyId, storeId } = await servedPage();
    const value = 'a credential of Main Street';
    await rows.limit(await rows.credential({ companyId, kind: 'staff', value }), [storeId]);
    const page = await open(pageUrl);
    await signIn(page, value);

    await page.locator('[data-store="S-1"]').waitFor();
    expect(await page.locator('[data-store]').count()).toBe(1);
    await page.goto(`${pageUrl}#/stores/S-2`);
    await page.getByText('This does not exist').waitFor();
  });

  test('can be used with the keyboard alone', async () => {
    const { pageUrl } = await servedPage();
    const page = await open(pageUrl);
    await page.getByLabel('Staff credential').focus();
    await page.keyboard.type(staffToken);
    await page.keyboard.press('Enter');
    await page.getByText('Side Street').waitFor();

    const store = page.getByRole('link', { name: 'Main Street' });
    const isFocused = () => store.evaluate((link) => link.matches(':focus'));
    for (let key = 1; key <= 40 && !(await isFocused()); key += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Main Street', level: 1 }).waitFor();
  });
});
