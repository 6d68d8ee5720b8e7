import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { seed } from '@visitor-counter/test/seed';
import { type ServiceProcess, startService } from '@visitor-counter/test/service-process';
import { testDatabase } from '@visitor-counter/test/test-database';
import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';

const stores = 500;
const kills = 4;
const day = 86_400_000;
const grace = 120_000;
/** From closing until the last mail (ms). */
const most = 600_000;

/** A mail server that records the Message-ID and the subject of every mail. */
async function mailServer() {
  const received: { id: string; subject: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, _session, done) => {
      text(stream).then((message) => {
        const field = (name: string) =>
          new RegExp(`^${name}: (.*?)\\r\\n(?! )`, 'ims').exec(message)?.[1] ?? '';
        received.push({ id: field('Message-ID'), subject: field('Subject') });
        done();
      }, done);
    },
  });
  /* A sender that is killed resets its connection. */
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port }: AddressInfo = Object(server.server.address());
  return { received, url: `smtp://127.0.0.1:${port}` };
}

/** A company with a daily report for each store, of the last day that is over. */
async function company() {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const due = Math.floor((Date.now() - grace) / day) * day;
  await rows.query(
    `insert into store (company_id, sid, name, time_zone)
     select $1, 'S-' || n, 'Shop ' || n, 'UTC' from generate_series(1, $2::integer) n`,
    [companyId, stores],
  );
  await rows.query(
    `insert into quarter (store_id, quarter, device_id, entries, exits, settled_entries, settled_exits)
     select id, $1::integer, 1, id, 0, 0, 0 from store`,
    [Math.floor((due - day / 2) / 900_000)],
  );
  await rows.query(
    `insert into mail_report (company_id, name, period, recipients, language, store_ids, since)
     select $1, name, 'daily', array[sid || '@acme.example'], 'en', array[id], $2 from store`,
    [companyId, new Date(due)],
  );
  return { url, rows };
}

test('the reports of 500 stores are mailed within ten minutes of closing, each once, while processes are killed', async () => {
  const { url, rows } = await company();
  const mail = await mailServer();
  const running: (ServiceProcess | undefined)[] = [undefined, undefined];
  onTestFinished(async () => {
    await Promise.all(running.map((one) => one?.kill()));
  });
  const start = async (n: number) => {
    const settings = { SMTP_URL: mail.url, MAIL_FROM: 'counter@host.example' };
    running[n] = await startService('alerts', [], { DATABASE_URL: url, METRICS_PORT: '0', ...settings });
  };
  const begin = Date.now();
  await Promise.all([start(0), start(1)]);
  for (let kill = 0; kill < kills; kill += 1) {
    const before = mail.received.length;
    await expect.poll(() => mail.received.length, { timeout: 120_000 }).toBeGreaterThan(before + 10);
    await running[kill % 2]?.kill();
    await start(kill % 2);
  }
  const sent = async () =>
    Number((await rows.query('select count(*) as n from outbox where delivered_at is not null'))[0]?.['n']);
  await expect.poll(sent, { timeout: most, interval: 500 }).toBe(stores);
  expect(Date.now() - begin).toBeLessThan(most - grace);

  const idsOf = Map.groupBy(mail.received, ({ id }) => id);
  expect(idsOf.size).toBe(stores);
  /* A killed process had at most as many mails in flight as it sends at the same time. */
  expect(mail.received.length - stores).toBeLessThanOrEqual(kills * 8);
  expect(await rows.query('select count(*)::integer as mails, max(kind) as kind from outbox')).toEqual([
    { mails: stores, kind: 'report' },
  ]);
}, 700_000);
