import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { reportsOf, scheduledReports } from '@visitor-counter/database/reports/mail-reports';
import { queueTest } from '@visitor-counter/database/reports/report-mails';
import { lastPeriod } from '@visitor-counter/reports/due';
import { kim } from '@visitor-counter/test/author';
import { connected } from '@visitor-counter/test/connected';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import { createMailer, type Mailer } from '../delivery/mailer.ts';
import { Sender } from '../delivery/sender.ts';
import { reportMessages } from './reporter.ts';

/** A mail server that records what it receives, and to whom. */
async function mailServer() {
  const received: { to: string[]; message: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, { envelope }, done) => {
      text(stream).then((message) => {
        received.push({ to: envelope.rcptTo.map(({ address }) => address), message });
        done();
      }, done);
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port }: AddressInfo = Object(server.server.address());
  return { received, smtpUrl: `smtp://127.0.0.1:${port}` };
}

/** A company with a store and a report that is switched off. */
async function reported() {
  const url = await testDatabase();
  const rows = seed(url);
  const database = connected(url);
  const companyId = await rows.company('Acme');
  await rows.store({ companyId, sid: 'S-1', name: 'Main Street' });
  await rows.query(
    `insert into mail_report (company_id, name, period, recipients, language, enabled)
     values ($1, 'Every day', 'daily', '{bo@acme.example}', 'en', false)`,
    [companyId],
  );
  const sendTest = async (mailer: Mailer, to: string) => {
    const [report] = await scheduledReports(database.kysely, 1);
    const period = report && lastPeriod(report, Date.now());
    if (period === undefined) throw new Error('the report has no period');
    await queueTest(database.kysely, kim, period, to);
    const none = () => expect.unreachable();
    const prepare = { webhook: none, mail: none, report: reportMessages(database, mailer) };
    const sender = new Sender({ database, prepare, onAttempt: () => {}, onError: () => {} });
    await sender.sendDue();
    await sender.close();
    mailer.close();
    const [listed] = await reportsOf(database.kysely, companyId);
    return listed;
  };
  return { rows, sendTest };
}

test('a test is mailed to the given address only, and is not the mail of the report', async () => {
  const { sendTest } = await reported();
  const { received, smtpUrl } = await mailServer();
  const mailer = () => createMailer({ smtpUrl, from: 'counter@host.example', requireTls: false });

  const listed = await sendTest(mailer(), 'ann@acme.example');
  await sendTest(mailer(), 'ann@acme.example');

  expect(received.map(({ to }) => to)).toEqual([['ann@acme.example'], ['ann@acme.example']]);
  expect(received[0]?.message).toMatch(/^Subject: Test: Acme, /m);
  expect(received[0]?.message).toMatch(/^To: ann@acme.example\r$/m);
  const ids = received.map(({ message }) => /^Message-ID: (\S+)/im.exec(message)?.[1]);
  expect(new Set(ids).size).toBe(2);
  expect(listed).toMatchObject({ lastSentAt: null, test: { sentAt: expect.any(Number), problem: null } });
});
