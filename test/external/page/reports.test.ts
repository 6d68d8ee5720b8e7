import { readFile } from 'node:fs/promises';
import { readSheets } from '@visitor-counter/test/read-sheets';
import { startService } from '@visitor-counter/test/service-process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startMailServer } from '../../../packages/alerts/test/mail-server.ts';
import { accessibilityViolations, browserForTests, browserNames, overflowing, signIn } from './browser.ts';
import { servedPage, staffToken } from './served-page.ts';

async function office() {
  const served = await servedPage();
  await served.rows.query('update credential set may_configure = true');
  await served.rows.shopGroup(served.companyId, 'West', [served.storeId]);
  return served;
}

describe.each(browserNames)('in %s', (name) => {
  const open = browserForTests(name);

  test('adds, changes and removes a report by mail', async () => {
    const { pageUrl, rows } = await office();
    const page = await open(`${pageUrl}#/reports`);
    await signIn(page, staffToken);
    await page.getByText('There is nothing here yet.').waitFor();
    await page.getByRole('button', { name: 'Add a report' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Every morning');
    await dialog.getByLabel('How often').selectOption('Every week');
    await dialog.getByLabel('Which stores').selectOption('West');
    await dialog.getByLabel('E-mail addresses').fill('ann@acme.example\nnobody');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('This cannot be saved.').waitFor();
    await dialog.getByLabel('E-mail addresses').fill('ann@acme.example, bo@acme.example');
    expect(await accessibilityViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Every week · West · English').waitFor();
    expect(await rows.query('select name, period, recipients, language from mail_report')).toEqual([
      {
        name: 'Every morning',
        period: 'weekly',
        language: 'en',
        recipients: ['ann@acme.example', 'bo@acme.example'],
      },
    ]);
    await page.getByRole('button', { name: /Every morning/ }).click();
    await dialog.getByLabel('Which stores').selectOption('Main Street');
    await dialog.getByLabel('Send this report').uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Every week · Main Street · English · Switched off').waitFor();
    await page.getByRole('button', { name: /Every morning/ }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: /Every morning/ }).click();
    const remove = dialog.getByRole('button', { name: 'Remove' });
    const question = page.getByRole('dialog', { name: 'Remove this report?' });
    await remove.click();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await rows.query('select name from mail_report')).toEqual([{ name: 'Every morning' }]);
    await remove.click();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.route('**/v1/mail-reports/*', (route) => route.abort(), { times: 1 });
    await question.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByText('The server cannot be reached.').waitFor();
    await remove.click();
    await question.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('There is nothing here yet.').waitFor();
    expect(await rows.query('select * from mail_report')).toEqual([]);
  });
});

describe('in chromium', () => {
  const open = browserForTests('chromium');

  test('previews a report by mail, sends a test, and says whether the mail server has accepted it', async () => {
    const { pageUrl, rows, databaseUrl } = await office();
    const mail = await startMailServer();
    const page = await open(`${pageUrl}#/reports`, { width: 390, height: 844 });
    await signIn(page, staffToken);
    await page.getByRole('button', { name: 'Add a report' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Every morning');
    await dialog.getByLabel('When').selectOption('07:00');
    await dialog.getByLabel('E-mail addresses').fill('bo@acme.example');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Every day · at 07:00 · All stores · English').waitFor();
    expect(await rows.query('select send_hour from mail_report')).toEqual([{ send_hour: 7 }]);

    const [preview] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Preview' }).click(),
    ]);
    await preview.getByRole('heading', { level: 1 }).waitFor();
    await preview.close();

    const send = async (to: string) => {
      await page.getByRole('button', { name: 'Send me a test' }).click();
      await dialog.getByLabel('E-mail address').fill(to);
      await dialog.getByRole('button', { name: 'Send' }).click();
    };
    const alerts = await startService('alerts', [], {
      DATABASE_URL: databaseUrl,
      METRICS_PORT: '0',
      SMTP_URL: `smtp://${mail.host}`,
      MAIL_FROM: 'counter@host.example',
    });
    onTestFinished(() => alerts.kill());
    await send('ann@acme.example');
    await dialog.getByText('The mail server has accepted the mail.').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(await overflowing(page)).toEqual([]);
    expect(mail.received).toEqual([
      { to: ['ann@acme.example'], message: expect.stringMatching(/^Subject: Test: Acme, /m) },
    ]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await send('nobody@acme.example');
    await dialog.getByText('The mail could not be sent.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await rows.query('update installation set has_mail_server = false');
    await alerts.kill();
    await page.reload();
    await page.getByText('No mail is sent yet').waitFor();
    expect(await page.getByRole('button', { name: 'Send me a test' }).count()).toBe(0);
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  test('downloads the visitors of a period as XLSX and CSV', async () => {
    const { pageUrl, rows, storeId, deviceId } = await office();
    const journalId = await rows.journal(deviceId, 'j');
    const at = Date.parse('2026-11-02T10:00:00Z');
    await rows.crossings([{ journalId, deviceId, storeId, sequence: 1, at, direction: 1 }]);
    const page = await open(`${pageUrl}#/reports`);
    await signIn(page, staffToken);
    await page.getByLabel('First day').fill('2026-11-01');
    await page.getByLabel('Last day').fill('2026-11-07');
    const download = async (link: string) => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: link }).click(),
      ]);
      return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
    };
    const xlsx = await download('Excel (XLSX)');
    expect(xlsx.name).toBe('Acme visitors 2026-11-01 to 2026-11-07.xlsx');
    const [sheet] = await readSheets(xlsx.content);
    expect(sheet?.rows).toHaveLength(9);
    expect(sheet?.rows[0]?.slice(0, 3)).toEqual(['Store', 'Time', 'Visitors']);
    expect(sheet?.rows[8]?.slice(0, 3)).toEqual(['Total 2026-11-01 – 2026-11-07', null, 1]);
    await page.getByLabel('Table').selectOption('Visitors by store');
    const csv = await download('CSV');
    expect(csv.content.toString()).toMatch(
      /^\uFEFFstore,.*\r\nS-1,Main Street,[^,]*,[^,]*,[0-9]+,[0-9]+,1,/s,
    );
  });
});
