import { randomBytes } from 'node:crypto';
import type { TargetKind } from '@visitor-counter/database/alerts/alert-messages';
import { operatorAlerts } from '@visitor-counter/database/alerts/list-alerts';
import { saveAlertTarget } from '@visitor-counter/database/configuration/alert-target';
import { claimMessages } from '@visitor-counter/database/outbox/outbox';
import {
  readSecretsKey,
  type SecretsKey,
  unreadableWebhooks,
} from '@visitor-counter/database/secrets/secrets-key';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { oneCompany, secretsKey, webhookSecret } from '../../test/company.ts';
import { startMailServer } from '../../test/mail-server.ts';
import { startSilentServer, startWebhook } from '../../test/targets.ts';
import { readConfig } from '../config.ts';
import { evaluate } from '../rules/evaluate.ts';
import { createMailer, type Mailer } from './mailer.ts';
import { alertMessages } from './send-alert.ts';
import { Sender } from './sender.ts';

/** A company with an alert for its device, to be sent. */
async function alarmed(address: string, targetKind: TargetKind = 'webhook') {
  const acme = await oneCompany();
  await acme.rule('device-inactive', 600);
  await acme.target(address, targetKind);
  await acme.lastSeen(601);
  await evaluate(acme.database.kysely);
  const problems: (string | undefined)[] = [];
  const senderWith = (
    mailer = createMailer(undefined),
    key: SecretsKey | 'none' = secretsKey,
    timeLimit?: number,
  ) => {
    const prepare = alertMessages(acme.database, mailer, key === 'none' ? undefined : key);
    const sender = new Sender({
      database: acme.database,
      prepare: { webhook: prepare, mail: prepare, report: () => expect.unreachable() },
      onAttempt: (_channel, _about, problem) => problems.push(problem),
      onError: (error) => problems.push(String(error)),
      ...(timeLimit !== undefined && { timeLimit }),
    });
    onTestFinished(() => sender.close());
    return sender;
  };
  const send = async (mailer?: Mailer) => {
    const sender = senderWith(mailer);
    const sent = await sender.sendDue();
    await sender.idle();
    return sent;
  };
  /** Queues the alert for one more target. */
  const queueAlert = (target: string) =>
    acme.rows.query(
      `insert into outbox (channel, kind, alert_id, target_id)
       select target.kind, 'raised', alert.id, target.id from alert, alert_target target where label = $1`,
      [target],
    );
  /** Makes the pause after a failed attempt longer than any test takes. */
  const pause = () =>
    acme.rows.query(
      `update outbox set next_attempt_at = next_attempt_at + interval '1 hour' where attempts > 0 and delivered_at is null`,
    );
  /** Ends the pause until the next attempt. */
  const due = () => acme.rows.query('update outbox set next_attempt_at = now()');
  const save = (given: Parameters<typeof saveAlertTarget>[2]) =>
    saveAlertTarget(acme.database.kysely, { id: acme.companyId, name: 'Acme' }, given);
  const switchOff = async () => {
    const [target] = await acme.rows.query('select label from alert_target');
    await save({ label: String(target?.['label']), enabled: false });
  };
  /** The results of the messages in the list of alerts. */
  const listed = async () => {
    const [alert] = await operatorAlerts(acme.database.kysely, {}, 1);
    return { sent: alert?.sent, waiting: alert?.waiting, problem: alert?.problem };
  };
  return { ...acme, save, send, senderWith, queueAlert, pause, due, switchOff, listed, problems };
}

test('sends the beginning and the end of an alert once, signed, with one id', async () => {
  const hook = await startWebhook();
  const acme = await alarmed(hook.url);
  await acme.send();
  await acme.send();
  await acme.lastSeen(0);
  await evaluate(acme.database.kysely);
  await acme.send();
  await acme.send();

  const sent = hook.received.map(({ headers, body }) => {
    const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    return { id: headers['webhook-id'], message: Object(new Webhook(webhookSecret).verify(body, signed)) };
  });
  const [raised, cleared] = sent;
  expect(sent).toHaveLength(2);
  expect(raised?.message).toMatchObject({
    event: 'alert.raised',
    kind: 'device-inactive',
    company: 'Acme',
    about: { serial: 'CU-1', sid: 'S-1', store: 'Main' },
  });
  expect(raised?.message.text).toMatch(
    /^The counter at CU-1 in Main has sent nothing since \d+ \w+ at \d\d:\d\d\.$/,
  );
  expect(cleared?.message).toMatchObject({ event: 'alert.cleared', id: raised?.message.id });
  expect(raised?.id).toBe(`${raised?.message.id}.raised`);
});

test('retries with the same id until the target accepts, and never sends the end before the beginning', async () => {
  const hook = await startWebhook();
  const acme = await alarmed(hook.url);
  hook.answer(500);
  await acme.send();
  await acme.pause();
  expect(await acme.send()).toBe(0);
  expect(await acme.listed()).toEqual({ sent: 0, waiting: 1, problem: 'it answered 500' });
  await acme.lastSeen(0);
  await evaluate(acme.database.kysely);
  hook.answer(204);
  await acme.due();
  await acme.send();
  await acme.send();

  const events = hook.received.map(({ body }) => JSON.parse(body));
  expect(events.map(({ event }) => event)).toEqual(['alert.raised', 'alert.raised', 'alert.cleared']);
  expect(new Set(hook.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  expect(acme.problems).toEqual(['it answered 500', undefined, undefined]);
  expect(await acme.listed()).toEqual({ sent: 2, waiting: 0, problem: null });
});

test('retries the messages of a process that died when its lease has ended', async () => {
  const hook = await startWebhook();
  const acme = await alarmed(hook.url);
  expect(await claimMessages(acme.database.kysely, 'webhook', 1)).toHaveLength(1);
  expect(await acme.send()).toBe(0);
  await acme.due();
  expect(await acme.send()).toBe(1);
  expect(hook.received).toHaveLength(1);
});

test('sends to other targets while one does not answer', async () => {
  const slow = await startWebhook();
  slow.hold();
  const acme = await alarmed(slow.url);
  const sender = acme.senderWith();
  expect(await sender.sendDue()).toBe(1);
  await expect.poll(() => slow.received.length).toBe(1);
  const hook = await startWebhook();
  await acme.target(hook.url);
  await acme.queueAlert(hook.url);

  expect(await sender.sendDue()).toBe(1);
  await expect.poll(() => hook.received.length).toBe(1);
  slow.release();
  await sender.idle();
  expect([slow.received.length, acme.problems]).toEqual([1, [undefined, undefined]]);
});

test('sends neither a pending message nor the end of an alert to a target that was switched off', async () => {
  const hook = await startWebhook();
  const acme = await alarmed(hook.url);
  hook.answer(500);
  await acme.send();
  await acme.switchOff();
  await acme.due();
  await acme.lastSeen(0);
  await evaluate(acme.database.kysely);
  expect(await acme.send()).toBe(0);
  await acme.lastSeen(601);
  expect(await evaluate(acme.database.kysely)).toMatchObject({ raised: 1 });
  expect(await acme.send()).toBe(0);
  expect(hook.received).toHaveLength(1);
});

test('sends the end of an alert to each target that has its beginning, or for which that was given up', async () => {
  const broken = await startWebhook();
  broken.answer(500);
  const acme = await alarmed(broken.url);
  const hook = await startWebhook();
  await acme.target(hook.url);
  await acme.queueAlert(hook.url);
  await acme.send();
  await acme.pause();
  await acme.lastSeen(0);
  await evaluate(acme.database.kysely);
  await acme.send();
  const events = (one: typeof hook) => one.received.map(({ body }) => JSON.parse(body).event);
  expect([events(hook), events(broken)]).toEqual([['alert.raised', 'alert.cleared'], ['alert.raised']]);

  await acme.rows.query(
    `update outbox set given_up_at = now() where kind = 'raised' and delivered_at is null`,
  );
  await acme.send();
  expect(events(broken)).toEqual(['alert.raised', 'alert.cleared']);
});

test('does not follow redirects', async () => {
  const hook = await startWebhook();
  hook.answer(302);
  const acme = await alarmed(hook.url);
  await acme.send();
  expect(acme.problems).toEqual(['it answered 302']);
});

/** A mailer that is configured as an operator does. */
function mailerOf(env: Readonly<Record<string, string>>): Mailer {
  const mailer = createMailer(readConfig({ MAIL_FROM: 'Counter <counter@host.example>', ...env }).mail);
  onTestFinished(() => mailer.close());
  return mailer;
}

test('sends no password to a mail server without TLS, unless the operator allows it', async () => {
  const { received, logins, host } = await startMailServer(['AUTH']);
  const acme = await alarmed('ops@acme.example', 'mail');
  const env = { SMTP_URL: `smtp://counter:secret@${host}` };
  await acme.send(mailerOf(env));
  expect(acme.problems).toEqual([expect.stringContaining('SMTP_ALLOW_PLAINTEXT')]);
  expect([received, logins]).toEqual([[], []]);

  await acme.due();
  await acme.send(mailerOf({ ...env, SMTP_ALLOW_PLAINTEXT: 'true' }));
  expect(logins).toEqual([['secret', false]]);
  expect(received).toHaveLength(1);
});

test.each(['requireTLS=false', 'ignoreTLS=true', 'opportunisticTLS=true'])(
  'sends no password without TLS where the URL has %s, and the operator does not allow it',
  async (parameter) => {
    const { received, logins, host } = await startMailServer(['AUTH']);
    const acme = await alarmed('ops@acme.example', 'mail');
    await acme.send(mailerOf({ SMTP_URL: `smtp://counter:secret@${host}?${parameter}` }));
    expect(acme.problems).toEqual([expect.stringContaining('SMTP_ALLOW_PLAINTEXT')]);
    expect([received, logins]).toEqual([[], []]);
  },
);

test('sends the password over STARTTLS', async () => {
  const { received, logins, host } = await startMailServer(['AUTH', 'STARTTLS']);
  const acme = await alarmed('ops@acme.example', 'mail');
  const SMTP_URL = `smtp://counter:secret@${host}`;
  await acme.send(mailerOf({ SMTP_URL }));
  expect(acme.problems).toEqual([
    'the connection to the mail server failed (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
  ]);

  await acme.due();
  await acme.send(mailerOf({ SMTP_URL: `${SMTP_URL}?tls.rejectUnauthorized=false` }));
  expect(logins).toEqual([['secret', true]]);
  expect(received).toHaveLength(1);
});

test('sends mail, the end in reply to the beginning', async () => {
  const { received, host } = await startMailServer();
  const acme = await alarmed('ops@acme.example', 'mail');
  const mailer = mailerOf({ SMTP_URL: `smtp://${host}` });
  await acme.send(mailer);
  await acme.lastSeen(0);
  await evaluate(acme.database.kysely);
  await acme.send(mailer);

  expect(acme.problems).toEqual([undefined, undefined]);
  const [raised, cleared] = received.map(({ message }) => message);
  const id = /^Message-ID: (<[0-9a-f-]{36}\.raised@host\.example>)/im.exec(raised ?? '')?.[1];
  expect(raised).toMatch(/^To: ops@acme.example\r$/m);
  expect(raised).toMatch(/^Subject: .*Alert.*Main.*counter/m);
  expect(cleared).toMatch(/^Subject: .*Over.*Main.*counter/m);
  expect(cleared).toContain(`In-Reply-To: ${id}`);
});

test('sends nothing to a webhook without its key, says so, and sends when the key is right', async () => {
  const hook = await startWebhook();
  const acme = await alarmed(hook.url);
  const other = await readSecretsKey({ SECRETS_KEY: randomBytes(32).toString('base64') });

  for (const key of [undefined, other]) {
    const sender = acme.senderWith(undefined, key ?? 'none');
    await sender.sendDue();
    await sender.idle();
    await acme.due();
  }
  expect(acme.problems).toEqual([
    'its webhook cannot be decrypted: it is encrypted, and SECRETS_KEY is not set',
    'its webhook cannot be decrypted: it is encrypted with another key than SECRETS_KEY, or damaged',
  ]);
  expect(await unreadableWebhooks(acme.database.kysely, other)).toBe(1);
  expect(await unreadableWebhooks(acme.database.kysely, secretsKey)).toBe(0);
  await acme.send();
  expect(hook.received).toHaveLength(1);
});

test.each(['webhook', 'mail'] as const)(
  'aborts a %s in flight when it is closed, and leaves it pending, also at its last attempt',
  async (kind) => {
    const { host, connections } = await startSilentServer();
    const acme = await alarmed(kind === 'webhook' ? `http://${host}/` : 'ops@acme.example', kind);
    const sender = acme.senderWith(mailerOf({ SMTP_URL: `smtp://${host}` }));
    await acme.rows.query('update outbox set attempts = 299');
    expect(await sender.sendDue()).toBe(1);
    await expect.poll(() => connections.size).toBe(1);
    await sender.close(0);

    const problem = 'this process was stopped before the message was accepted';
    expect(acme.problems).toEqual([problem]);
    expect(await acme.listed()).toEqual({ sent: 0, waiting: 1, problem });
  },
);

test('aborts an attempt before another process may send its message', async () => {
  const { host } = await startSilentServer();
  const acme = await alarmed(`http://${host}/`);
  const sender = acme.senderWith(undefined, secretsKey, 100);
  expect(await sender.sendDue()).toBe(1);
  await sender.idle();
  expect(acme.problems).toHaveLength(1);
  expect(await acme.listed()).toMatchObject({ sent: 0, waiting: 1 });
});
