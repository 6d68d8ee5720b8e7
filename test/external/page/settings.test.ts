import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { accessibilityViolations, browserForTests, browserNames, overflowing, signIn } from './browser.ts';
import { servedPage, staffToken } from './served-page.ts';

const officeToken = 'an office credential of Acme';

async function office() {
  const served = await servedPage();
  await served.rows.query(`update store set time_zone = 'Europe/Berlin'`);
  await served.rows.credential({
    companyId: served.companyId,
    kind: 'staff',
    value: officeToken,
    settings: true,
  });
  return served;
}

/** Replaces a number: Firefox does not select it when it is filled. */
async function enter(field: Locator, value: string): Promise<void> {
  await field.press('ControlOrMeta+a');
  await field.pressSequentially(value);
}

describe.each(browserNames)('in %s', (name) => {
  const open = browserForTests(name);

  test('sets capacity, opening hours, dates and staff of a store', async () => {
    const { pageUrl, rows } = await office();
    const page = await open(pageUrl, { timeZone: 'Asia/Tokyo' });
    await signIn(page, officeToken);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Main Street' }).click();

    const capacity = page.getByRole('region', { name: 'Capacity' });
    await capacity.getByLabel('People').fill('120');
    await capacity.getByRole('button', { name: 'Save' }).click();
    await capacity.getByText('Saved.').waitFor();

    const hours = page.getByRole('region', { name: 'Opening hours' });
    await hours.getByLabel('Always open').uncheck();
    await hours.getByRole('button', { name: 'Monday: Add hours' }).click();
    await hours.getByRole('button', { name: 'Use for all days' }).click();
    await hours.getByRole('button', { name: 'Sunday: Remove' }).click();
    await hours.getByLabel('Friday: to').fill('02:00');
    await hours.getByRole('button', { name: 'Monday: Add hours' }).click();
    await hours.getByText('Monday: Please enter both times.').waitFor();
    await hours.getByLabel('Monday: from').last().fill('17:00');
    await hours.getByLabel('Monday: to').last().fill('20:00');
    await hours.getByText('Monday: Times overlap.').waitFor();
    await hours.getByRole('button', { name: 'Monday: Remove' }).last().click();
    await hours.getByRole('button', { name: 'Add a date' }).click();
    await hours.getByLabel('Date', { exact: true }).fill('2099-12-25');
    await hours.getByLabel('Note').fill('Christmas');
    await hours.getByRole('button', { name: 'Save' }).click();
    await hours.getByText('Saved.').waitFor();

    const staff = page.getByRole('region', { name: 'Staff' });
    await staff.getByRole('button', { name: 'Tuesday: Add staff' }).click();
    await enter(staff.getByLabel('Tuesday: People'), '4');
    await staff.getByRole('button', { name: 'Save' }).click();
    await staff.getByText('Saved.').waitFor();

    const day = ['09:00-18:00'];
    expect(await rows.query(`select capacity from store where sid = 'S-1'`)).toEqual([{ capacity: 120 }]);
    expect(
      await rows.query('select opening_hours as hours from store where opening_hours is not null'),
    ).toEqual([
      {
        hours: {
          week: {
            monday: day,
            tuesday: day,
            wednesday: day,
            thursday: day,
            friday: ['09:00-02:00'],
            saturday: day,
            sunday: [],
          },
          exceptions: [{ date: '2099-12-25', open: [], note: 'Christmas' }],
        },
      },
    ]);
    expect(
      await rows.query("select staff_plans->0->'week' as week from store where staff_plans is not null"),
    ).toEqual([{ week: { tuesday: [{ at: '08:45', people: 4 }] } }]);
    await page.reload();
    await page.getByLabel('Friday: to').waitFor();
    expect(await page.getByLabel('Friday: to').inputValue()).toBe('02:00');
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await overflowing(page)).toEqual([]);
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  test('keeps what was entered while the server is unavailable, and imports a calendar', async () => {
    const { pageUrl, rows, api, startApiAgain } = await office();
    const page = await open(`${pageUrl}#/settings/S-1`, { colorScheme: 'dark', width: 390, height: 844 });
    await signIn(page, officeToken);
    const capacity = page.getByRole('region', { name: 'Capacity' });
    await capacity.getByLabel('People').fill('70');
    await api.kill();
    await capacity.getByRole('button', { name: 'Save' }).click();
    await capacity.getByText('The server cannot be reached').waitFor();
    expect(await capacity.getByLabel('People').inputValue()).toBe('70');
    await startApiAgain();
    await capacity.getByRole('button', { name: 'Save' }).click();
    await capacity.getByText('Saved.').waitFor();

    const year = new Date().getFullYear() + 1;
    const event = (lines: string) => `BEGIN:VEVENT\r\n${lines}\r\nEND:VEVENT\r\n`;
    const calendar = `BEGIN:VCALENDAR\r\n${event(`DTSTART;VALUE=DATE:${year}0101\r\nSUMMARY:New Year`)}${event(
      'DTSTART;VALUE=DATE:20010101\r\nSUMMARY:Long ago',
    )}END:VCALENDAR\r\n`;
    const hours = page.getByRole('region', { name: 'Opening hours' });
    await hours.getByText('Import holidays').click();
    await hours.getByLabel('Calendar file').setInputFiles({
      name: 'days.ics',
      mimeType: 'text/calendar',
      buffer: Buffer.from(calendar),
    });
    await hours.getByRole('button', { name: 'Import' }).click();
    await hours.getByText('Imported and saved: 1 date').waitFor();
    await hours.getByText('1 event was left out').click();
    await hours.getByText('it is in the past').waitFor();
    const [stored] = await rows.query(
      "select opening_hours->'exceptions' as exceptions from store where opening_hours is not null",
    );
    expect(stored?.['exceptions']).toEqual([{ date: `${year}-01-01`, open: [], note: 'New Year' }]);
    expect(await accessibilityViolations(page)).toEqual([]);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(390);
  });

  test('sets alerts and their recipients; staff without the right see no settings', async () => {
    const { pageUrl, rows } = await office();
    const page = await open(`${pageUrl}#/settings`);
    await signIn(page, officeToken);
    const alerts = page.getByRole('region', { name: 'Alerts', exact: true });
    await alerts.getByLabel('People came in while the store was closed', { exact: true }).check();
    await enter(alerts.getByRole('spinbutton').first(), '45.25');
    await alerts.getByRole('button', { name: 'Save' }).click();
    await alerts.getByText('Saved.').waitFor();
    const recipients = page.getByRole('region', { name: 'Who receives alerts' });
    await recipients.getByRole('button', { name: 'Add an address' }).click();
    await recipients.getByLabel('E-mail address').fill('ann@acme.example');
    await recipients.getByRole('button', { name: 'Save' }).click();
    await recipients.getByText('Saved.').waitFor();
    expect(await rows.query('select kind, after_seconds, enabled from alert_rule')).toEqual([
      { kind: 'visitors-while-closed', after_seconds: 2_715, enabled: true },
    ]);
    expect(await rows.query('select address, kind from alert_target')).toEqual([
      { address: 'ann@acme.example', kind: 'mail' },
    ]);
    expect(await accessibilityViolations(page)).toEqual([]);

    const other = await open(`${pageUrl}#/settings`);
    await signIn(other, staffToken);
    await other.getByRole('link', { name: 'Counters' }).waitFor();
    expect(await other.getByRole('link', { name: 'Settings' }).count()).toBe(0);
    expect(await other.getByRole('region', { name: 'Alerts', exact: true }).count()).toBe(0);
  });
});
