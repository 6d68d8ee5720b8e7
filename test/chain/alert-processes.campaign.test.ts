import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { readSecretsKey } from '@visitor-counter/database/secrets/secrets-key';
import { sealWebhook } from '@visitor-counter/database/secrets/webhooks';
import { seed } from '@visitor-counter/test/seed';
import { type ServiceProcess, startService } from '@visitor-counter/test/service-process';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const secretsKey = randomBytes(32).toString('base64');

/** A webhook that answers slowly, so that processes die in the middle of sending, and break off their requests. */
async function slowWebhook() {
  const received: { messageId: string; event: string; alert: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const { event, id } = JSON.parse(body);
    received.push({ messageId: String(request.headers['webhook-id']), event, alert: id });
    await delay(150);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  return { received, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` };
}

test('one incident is one alert with one id, however often the notifying processes are killed', async () => {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1' });
  await rows.device({ companyId, storeId, serial: 'CU-1', lastActivityAt: Date.now() });
  const hook = await slowWebhook();
  await rows.query(
    `insert into gateway (id, seen_at, believed_until, storing_since, storing_at)
     values (gen_random_uuid(), now(), now(), '-infinity', now() + interval '1 hour')`,
  );
  await rows.query(`insert into alert_rule values ($1, 'device-inactive', 60)`, [companyId]);
  await rows.query(
    `insert into alert_target (company_id, label, kind, sealed) values ($1, 'ops', 'webhook', $2)`,
    [companyId, sealWebhook(await readSecretsKey({ SECRETS_KEY: secretsKey }), { url: hook.url, secret })],
  );
  const lastSeen = (ago: number) =>
    rows.query('update device_state set last_activity_at = now() - make_interval(secs => $1)', [ago]);
  const running: (ServiceProcess | undefined)[] = [undefined, undefined];
  onTestFinished(async () => {
    await Promise.all(running.map((one) => one?.kill()));
  });
  const start = async (n: number) => {
    running[n] = await startService('alerts', [], {
      DATABASE_URL: url,
      METRICS_PORT: '0',
      SECRETS_KEY: secretsKey,
    });
  };
  /** Ends the claims of killed processes, which last 90 s. */
  const endClaims = () => rows.query('update outbox set next_attempt_at = now() where delivered_at is null');
  const incidents = 3;
  const seen = (event: string) =>
    new Set(hook.received.filter((one) => one.event === event).map(({ alert }) => alert));

  for (let incident = 1; incident <= incidents; incident += 1) {
    for (const [ago, event] of [
      [61, 'alert.raised'],
      [0, 'alert.cleared'],
    ] as const) {
      await Promise.all(running.map((one) => one?.kill()));
      await endClaims();
      await lastSeen(ago);
      const before = hook.received.length;
      await Promise.all([start(0), start(1)]);
      await expect.poll(() => hook.received.length).toBeGreaterThan(before);
      await running[incident % 2]?.kill();
      await endClaims();
      await expect.poll(() => seen(event).size).toBe(incident);
    }
  }

  const alerts = await rows.query('select id, cleared_at from alert');
  expect(alerts).toHaveLength(incidents);
  expect(alerts.every(({ cleared_at }) => cleared_at !== null)).toBe(true);
  expect(new Set(hook.received.map(({ messageId }) => messageId)).size).toBe(2 * incidents);
});
