import { saveMailReport } from '@visitor-counter/database/configuration/mail-report';
import { reportsOf, scheduledReports } from '@visitor-counter/database/reports/mail-reports';
import { queueTest } from '@visitor-counter/database/reports/report-mails';
import { lastPeriod } from '@visitor-counter/reports/due';
import { kim } from '@visitor-counter/test/author';
import { connected } from '@visitor-counter/test/connected';
import { readSheets } from '@visitor-counter/test/read-sheets';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';
import { DeliveryError, type Mail } from '../delivery/mailer.ts';
import { Sender } from '../delivery/sender.ts';
import { queueCompleted, queueDue, reportMessages } from './reporter.ts';

const day = Date.parse('2026-11-20T00:00:00Z');
const at = (time: string) => Date.parse(`2026-11-20T${time}:00Z`);
const closed = at('20:02');

/** A company with two stores that close at 20:00, a report of both, and everything that is mailed. */
async function reported(values: { readonly period?: string; readonly language?: string } = {}) {
  const url = await testDatabase();
  const rows = seed(url);
  const database = connected(url);
  const companyId = await rows.company('Acme');
  const stores: { storeId: number; deviceId: number; journalId: number }[] = [];
  for (const sid of ['S-10', 'S-2']) {
    const storeId = await rows.store({ companyId, sid, name: `Shop ${sid}` });
    const deviceId = await rows.device({
      companyId,
      storeId,
      serial: `CU-${sid}`,
      registeredAt: day - 30 * 86_400_000,
    });
    stores.push({ storeId, deviceId, journalId: await rows.journal(deviceId, 'j') });
    const week = Object.fromEntries(
      ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'].map((name) => [
        name,
        ['09:00-20:00'],
      ]),
    );
    await rows.query('update store set opening_hours = $2 where id = $1', [
      storeId,
      JSON.stringify({ week, exceptions: [] }),
    ]);
  }
  const { period = 'daily', language = 'en' } = values;
  await rows.query(
    `insert into mail_report (company_id, name, period, recipients, language, since)
     values ($1, 'Every <day>', $2, '{ann@acme.example,bo@acme.example}', $3, '2026-11-20T12:00:00Z')`,
    [companyId, period, language],
  );
  const mails: Mail[] = [];
  let answer = async (_mail: Mail): Promise<readonly string[]> => [];
  const problems: unknown[] = [];
  const newSender = () => {
    const mailer = {
      send: async (mail: Mail) => {
        const refused = await answer(mail);
        mails.push(mail);
        return refused;
      },
      close: () => {},
    };
    const none = () => expect.unreachable();
    const sender = new Sender({
      database,
      prepare: { webhook: none, mail: none, report: reportMessages(database, mailer) },
      onAttempt: (_channel, _about, problem) => problem && problems.push(problem),
      onError: (error) => problems.push(error),
    });
    onTestFinished(() => sender.close());
    return sender;
  };
  const sender = newSender();
  let sequence = 0;
  const enter = async (store: number, ...instants: readonly number[]) => {
    const { storeId = 0, deviceId = 0, journalId = 0 } = stores[store] ?? {};
    await rows.crossings(
      instants.map((instant) => {
        sequence += 1;
        return { storeId, deviceId, journalId, sequence, at: instant, direction: 1 as const };
      }),
    );
  };
  const send = async (now = closed) => {
    await queueDue(database, now);
    await sender.sendDue();
    await sender.idle();
  };
  /** Sends again what has become complete. */
  const complete = async (now = closed + 3_600_000) => {
    await queueCompleted(database, now, (error) => expect.unreachable(String(error)));
    await sender.sendDue();
    await sender.idle();
  };
  /** The last heartbeats report that everything was delivered, at an instant. */
  const delivered = (instant: number) =>
    rows.query(
      `update device_state set online = true, last_activity_at = $1, heartbeat_at = $1,
         heartbeat = json_build_object('at', $2::float8, 'recorded', 0, 'acknowledged', 0)`,
      [new Date(instant), instant],
    );
  /** Ends the pause until the next attempt. */
  const due = () => rows.query('update outbox set next_attempt_at = now()');
  const answerWith = (next: typeof answer) => {
    answer = next;
  };
  return {
    companyId,
    rows,
    database,
    stores,
    mails,
    problems,
    enter,
    send,
    complete,
    delivered,
    due,
    answerWith,
    newSender,
  };
}

test('mails one report when the last store has closed, with the same weekday a week before', async () => {
  const { enter, send, delivered, mails, problems, rows, stores } = await reported();
  await enter(0, at('09:30'), at('09:40'), at('19:59'), closed - 1, closed);
  await enter(1, at('12:00'));
  await enter(1, ...['08:00', '13:00', '23:00'].map((time) => at(time) - 7 * 86_400_000));
  await rows.query(
    `insert into sale (store_id, id, at, transactions, amount) values ($1, 'a', '2026-11-20T12:00Z', 1, 1250.5)`,
    [stores[1]?.storeId],
  );
  await delivered(closed);
  await send(closed - 1);
  expect(mails).toEqual([]);
  await send();
  await send(closed + 3_600_000);
  expect(problems).toEqual([]);
  expect(mails).toHaveLength(1);
  const [mail] = mails;
  expect(mail?.subject).toBe(
    'Acme, Friday, 20 November 2026: 5 visitors (-50% without newer stores and days)',
  );
  expect([mail?.to, mail?.envelope]).toEqual([['ann@acme.example', 'bo@acme.example'], mail?.to]);
  expect(mail?.text).toContain('These numbers are complete.');
  expect(mail?.text).toMatch(/Shop S-2: 1 -50%\nShop S-10: 4\n/);
  expect(mail?.html).toContain('Every &lt;day&gt;');
  expect(mail?.html).toMatch(
    /1 without newer stores and days\. Compared with Friday, 13 November 2026: 2 \(<strong.*>-50%</,
  );
  expect(mail?.text).toContain('\nSales: 1 · Amount: 1,250.50 · Conversion: 100%\n');
  const [sheet] = await readSheets(mail?.attachments[0]?.content);
  expect(sheet?.rows.slice(1).map(([name, , visitors]) => [name, visitors])).toEqual([
    ['Shop S-2', 1],
    ['Shop S-10', 4],
    ['Total 2026-11-20', 5],
  ]);
  expect(sheet?.rows[3]).toEqual(expect.arrayContaining([-0.5, 1250.5, '1 without newer stores and days']));
  expect(mail?.attachments[0]?.filename).toBe('Acme Every -day- 2026-11-20.xlsx');
});

test('says which stores are not complete, and lists these first', async () => {
  const { enter, send, delivered, rows, stores, mails } = await reported({ language: 'de' });
  await enter(0, at('10:00'));
  await enter(1, at('10:00') - 3 * 86_400_000);
  await delivered(closed);
  await rows.query('update device_state set online = false where device_id = $1', [stores[0]?.deviceId]);
  await send();
  expect(mails[0]?.subject).toBe('Acme, Freitag, 20. November 2026: 1 Besucher');
  expect(mails[0]?.html).toMatch(/Diese Zahlen sind unvollständig.*Shop S-10.*noch nicht alles geliefert/s);
  expect(mails[0]?.text).toMatch(/Shop S-10: 1\nShop S-2: 0/);
});

test('sends an incomplete report once more, when it has become complete', async () => {
  const { enter, send, complete, delivered, mails, rows } = await reported();
  await enter(0, at('10:00'));
  await delivered(at('10:10'));
  await send();
  expect(mails[0]?.text).toContain('You will get this report again when it has.');
  await complete();
  expect(mails).toHaveLength(1);

  await enter(1, at('15:00'), at('15:30'));
  await delivered(closed);
  await complete();
  expect(mails).toHaveLength(2);
  expect(mails[1]?.subject).toBe('Now complete: Acme, Friday, 20 November 2026: 3 visitors');
  for (const part of [mails[1]?.text, mails[1]?.html])
    expect(part).toContain(
      'You have received this report before. Now all counters have delivered everything.',
    );
  expect(mails[1]?.id).not.toBe(mails[0]?.id);
  expect(mails[1]?.to).toEqual(mails[0]?.to);

  await enter(0, at('16:00'));
  await complete();
  await send();
  expect(mails).toHaveLength(2);
  expect(await rows.query('select kind, incomplete_to from outbox order by kind')).toEqual([
    { kind: 'completed', incomplete_to: ['ann@acme.example', 'bo@acme.example'] },
    { kind: 'report', incomplete_to: ['ann@acme.example', 'bo@acme.example'] },
  ]);
});

test('sends the complete report once to a recipient who was refused first', async () => {
  const { enter, send, complete, delivered, mails, due, answerWith } = await reported();
  await enter(0, at('10:00'));
  await delivered(at('10:10'));
  answerWith(async () => ['bo@acme.example']);
  await send();
  await delivered(closed);
  answerWith(async () => []);
  await due();
  await send();
  await complete();
  await complete();
  expect(mails.map(({ envelope, subject }) => [envelope, /^Now complete/.test(subject)])).toEqual([
    [['ann@acme.example', 'bo@acme.example'], false],
    [['bo@acme.example'], false],
    [['ann@acme.example'], true],
  ]);
});

test('never calls a report complete that lacks crossings of a unit that was retired after it', async () => {
  const { enter, send, complete, delivered, mails, rows, stores } = await reported();
  await enter(0, at('10:00'));
  await delivered(at('10:10'));
  await send();
  const { deviceId } = stores[1] ?? {};
  await rows.query('update device set retired_at = $1 where id = $2', [new Date(closed + 60_000), deviceId]);
  await delivered(closed);
  await rows.query(
    `update device_state set last_activity_at = $1, heartbeat_at = $1, heartbeat = heartbeat || $2 where device_id = $3`,
    [new Date(at('10:10')), JSON.stringify({ at: at('10:10') }), deviceId],
  );
  await complete();
  expect(mails).toHaveLength(1);
});

test('never sends a complete report again, and no incomplete one after seven days', async () => {
  const { enter, send, complete, delivered, mails, rows } = await reported();
  await enter(0, at('10:00'));
  await delivered(closed);
  await send();
  await enter(1, at('15:00'));
  await complete();
  expect(mails).toHaveLength(1);

  await rows.query('update outbox set incomplete_to = sent_to');
  await complete(closed + 7 * 86_400_000);
  expect(mails).toHaveLength(1);
});

test('retries only for recipients who have not received the mail, with the same Message-ID', async () => {
  const { enter, send, delivered, mails, due, answerWith, problems } = await reported();
  await enter(0, at('10:00'));
  await delivered(closed);
  answerWith(async () => {
    throw new DeliveryError('the mail server refused the message');
  });
  await send();
  answerWith(async () => ['bo@acme.example']);
  await due();
  await send();
  answerWith(async () => []);
  await due();
  await send();
  await due();
  await send();
  expect(mails.map(({ envelope }) => envelope)).toEqual([
    ['ann@acme.example', 'bo@acme.example'],
    ['bo@acme.example'],
  ]);
  expect(new Set(mails.map(({ id }) => id)).size).toBe(1);
  expect(problems).toEqual([
    'the mail server refused the message',
    'the mail server refused bo@acme.example',
  ]);
});

test('sends nothing again if a process died after everybody had received a mail', async () => {
  const { enter, send, delivered, mails, rows } = await reported();
  await enter(0, at('10:00'));
  await delivered(closed);
  await send();
  await rows.query('update outbox set delivered_at = null, next_attempt_at = now()');
  await send();
  expect(mails).toHaveLength(1);
  expect(await rows.query('select from outbox where delivered_at is null')).toEqual([]);
});

test('sends nothing to a removed recipient, and no report that was switched off', async () => {
  const { enter, send, delivered, mails, due, answerWith, database, companyId } = await reported();
  const change = (recipients: readonly string[], enabled: boolean) =>
    database.kysely
      .transaction()
      .execute((trx) =>
        saveMailReport(
          trx,
          { id: companyId, name: 'Acme' },
          { name: 'Every <day>', recipients: [...recipients], enabled },
        ),
      );
  await enter(0, at('10:00'));
  await delivered(closed);
  answerWith(async () => {
    throw new DeliveryError('the mail server refused the message');
  });
  await send();
  answerWith(async () => ['cy@acme.example']);
  await change(['bo@acme.example', 'cy@acme.example'], true);
  await due();
  await send();
  await change(['bo@acme.example', 'cy@acme.example'], false);
  await due();
  await send();
  await change(['bo@acme.example', 'cy@acme.example'], true);
  await send();
  expect(mails.map(({ envelope }) => envelope)).toEqual([['bo@acme.example', 'cy@acme.example']]);
});

test('a weekly report has a bar for each day, and several processes send it once', async () => {
  const { enter, delivered, mails, newSender, rows, database } = await reported({ period: 'weekly' });
  await enter(0, at('10:00') - 4 * 86_400_000, at('10:00'));
  await delivered(day + 2 * 86_400_000);
  const senders = [newSender(), newSender(), newSender()];
  await Promise.all(senders.map(() => queueDue(database, day + 3 * 86_400_000)));
  await Promise.all(senders.map((one) => one.sendDue()));
  await Promise.all(senders.map((one) => one.idle()));
  expect(mails).toHaveLength(1);
  expect(mails[0]?.subject).toMatch(/^Acme, 16.–.22 November 2026: 2 visitors$/);
  expect(mails[0]?.html).toMatch(/Mon,? 16 Nov.*Fri,? 20 Nov/s);
  expect(mails[0]?.html).not.toMatch(/Sat,? 21 Nov/);
  expect(await rows.query('select kind from outbox')).toEqual([{ kind: 'report' }]);
});

test('a test is mailed to the given address only, and is not the mail of the report', async () => {
  const { send, mails, rows, database, companyId } = await reported();
  await rows.query('update mail_report set enabled = false');
  for (let n = 0; n < 2; n += 1) {
    const [report] = await scheduledReports(database.kysely, 1);
    const period = report && lastPeriod(report, closed);
    if (period === undefined) throw new Error('the report has no period');
    await queueTest(database.kysely, kim, period, 'cy@acme.example');
    await send();
  }
  const cy = ['cy@acme.example'];
  const subject = expect.stringMatching(/^Test: Acme, /);
  expect(mails).toMatchObject([
    { to: cy, envelope: cy, subject },
    { to: cy, envelope: cy, subject },
  ]);
  expect(new Set(mails.map(({ id }) => id)).size).toBe(2);
  expect(await reportsOf(database.kysely, companyId)).toMatchObject([
    { lastSentAt: null, test: { sentAt: expect.any(Number), problem: null } },
  ]);
});
