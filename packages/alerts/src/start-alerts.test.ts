import { createLogger } from '@visitor-counter/service/logger';
import { Metrics } from '@visitor-counter/service/metrics';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { oneCompany, secretsKey } from '../test/company.ts';
import { startSilentServer, startWebhook } from '../test/targets.ts';
import { startAlerts } from './start-alerts.ts';

function contextOf(databaseUrl: string) {
  return {
    databaseUrl,
    migrated: Promise.resolve(),
    log: createLogger('test', { LOG_LEVEL: 'silent' }),
    metrics: new Metrics(),
  };
}

test('raises alerts while a search for unusual counts takes long', async () => {
  const acme = await oneCompany();
  await acme.rule('visitors-while-closed', 60);
  await acme.rule('device-inactive', 600);
  await acme.lastSeen(601);
  await acme.database.kysely.transaction().execute(async (trx) => {
    await sql`lock table entry`.execute(trx);
    const alerts = await startAlerts(
      { mail: undefined, secretsKey: async () => undefined },
      contextOf(acme.url),
    );
    onTestFinished(() => alerts.close());
    const waiting = () =>
      acme.rows.query(`select from pg_locks where not granted and relation = 'entry'::regclass
        and database = (select oid from pg_database where datname = current_database())`);
    await expect.poll(waiting).toHaveLength(1);
    await expect.poll(acme.alerts).toMatchObject([{ kind: 'device-inactive', open: true }]);
    await acme.lastSeen(0);
    await expect.poll(acme.alerts).toMatchObject([{ kind: 'device-inactive', open: false }]);
  });
});

test('sends to webhooks while the mail server answers no connection', async () => {
  const { host, connections } = await startSilentServer();
  const acme = await oneCompany();
  const hook = await startWebhook();
  await acme.target(hook.url);
  for (let n = 0; n < 12; n += 1) await acme.target(`manager-${n}@acme.example`, 'mail');
  await acme.rows.query(
    `insert into alert (company_id, kind, subject, about, began_at, cleared_at)
     select $1, 'test', n::text, '{}', now(), now() from generate_series(1, 12) n`,
    [acme.companyId],
  );
  await acme.rows.query(
    `insert into outbox (channel, kind, alert_id, target_id, next_attempt_at)
     select target.kind, 'raised', alert.id, target.id, case target.kind when 'mail' then now() - interval '1 minute' else now() end
     from alert, alert_target target`,
  );
  const alerts = await startAlerts(
    {
      mail: { smtpUrl: `smtp://${host}`, from: 'counter@host.example', requireTls: false },
      secretsKey: async () => secretsKey,
    },
    contextOf(acme.url),
  );
  onTestFinished(() => alerts.close());
  await expect.poll(() => connections.size).toBe(100);
  const waiting = [...connections];
  await expect.poll(() => hook.received.length).toBe(12);
  expect(waiting.filter((connection) => !connections.has(connection))).toEqual([]);
});
