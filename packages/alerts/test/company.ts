import { randomBytes } from 'node:crypto';
import { readSecretsKey, type SecretsKey, sealWebhook } from '@visitor-counter/database/secrets/secrets-key';
import { connected } from '@visitor-counter/test/connected';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';

/** 32 bytes, in the form of Standard Webhooks. */
export const webhookSecret = `whsec_${randomBytes(32).toString('base64')}`;

/** Encrypts the webhooks of the test. */
export const secretsKey = await keyOf(randomBytes(32).toString('base64'));

async function keyOf(SECRETS_KEY: string): Promise<SecretsKey> {
  const key = await readSecretsKey({ SECRETS_KEY });
  if (key === undefined) throw new Error('there is no key');
  return key;
}

/** A company with one store and one device that was active just now, while a gateway runs. */
export async function oneCompany() {
  const url = await testDatabase();
  const rows = seed(url);
  const database = connected(url, 4);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1', name: 'Main' });
  const deviceId = await rows.device({ companyId, storeId, serial: 'CU-1', lastActivityAt: Date.now() });
  await rows.query(
    `insert into gateway (id, seen_at, believed_until, storing_since, storing_at)
     values (gen_random_uuid(), now(), now(), '-infinity', now() + interval '1 hour')`,
  );
  return {
    url,
    rows,
    database,
    companyId,
    storeId,
    deviceId,
    rule: (kind: string, seconds: number) =>
      rows.query('insert into alert_rule values ($1, $2, $3)', [companyId, kind, seconds]),
    target: (address: string, kind = 'webhook') =>
      rows.query(
        'insert into alert_target (company_id, label, kind, address, sealed) values ($1, $2, $3, $4, $5)',
        kind === 'webhook'
          ? [companyId, address, kind, null, sealWebhook(secretsKey, { url: address, secret: webhookSecret })]
          : [companyId, address, kind, address, null],
      ),
    /** Sets when the device was last seen (seconds ago). */
    lastSeen: (secondsAgo: number) =>
      rows.query('update device_state set last_activity_at = now() - make_interval(secs => $1)', [
        secondsAgo,
      ]),
    /** Stores a heartbeat of the device that arrived so many seconds ago. */
    heartbeat: (content: object, secondsAgo = 0) =>
      rows.query(
        `update device_state set heartbeat_at = now() - make_interval(secs => $1), heartbeat = $2 where device_id = $3`,
        [secondsAgo, JSON.stringify(content), deviceId],
      ),
    alerts: () =>
      rows.query('select id, kind, subject, cleared_at is null as open from alert order by raised_at, kind'),
  };
}
