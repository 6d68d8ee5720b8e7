import { readSecretsKey, unsealWebhook } from '@visitor-counter/database/secrets/secrets-key';
import { expect, test } from 'vitest';
import { databaseWith, SECRETS_KEY } from '../../test/run-admin.ts';

const file = (company: string) => `companies:\n  - name: Acme\n${company.replaceAll(/^/gm, '    ')}`;

test('sets rules and targets by file and by command, and changes nothing else', async () => {
  const { query, run } = await databaseWith('companies: [{ name: Acme }]');
  const applied = await run(
    ['apply', '-', '--json'],
    file(`stores: [{ sid: s, name: S, timeZone: UTC, capacity: 50 }]
alertRules: [{ kind: device-inactive, after: 10m }, { kind: capacity-reached }]
alertTargets: [{ label: ops, url: "https://hooks.example/x" }, { label: boss, mail: b@acme.example }]`),
  );
  expect(applied.code).toBe(0);
  const [secret] = JSON.parse(applied.out).secrets;
  expect(secret).toMatchObject({
    kind: 'alertTarget',
    label: 'ops',
    secret: expect.stringMatching(/^whsec_/),
  });

  await run(['alert', 'rule', 'set', 'device-inactive', '--company', 'ACME', '--enabled', 'false']);
  await run(['alert', 'rule', 'set', 'beam-blocked', '--company', 'Acme', '--after', '2m']);
  await run(['alert', 'target', 'set', 'ops', '--company', 'Acme', '--url', 'http://127.0.0.1/y']);

  expect(await query('select kind, after_seconds, enabled from alert_rule order by kind')).toEqual([
    { kind: 'beam-blocked', after_seconds: 120, enabled: true },
    { kind: 'capacity-reached', after_seconds: 0, enabled: true },
    { kind: 'device-inactive', after_seconds: 600, enabled: false },
  ]);
  const targets = await query('select label, kind, address, sealed from alert_target order by label');
  expect(targets).toEqual([
    { label: 'boss', kind: 'mail', address: 'b@acme.example', sealed: null },
    { label: 'ops', kind: 'webhook', address: null, sealed: expect.any(Buffer) },
  ]);
  expect(unsealWebhook(await readSecretsKey({ SECRETS_KEY }), Object(targets[1]).sealed)).toEqual({
    url: 'http://127.0.0.1/y',
    secret: secret.secret,
  });
  expect(await query('select capacity from store')).toEqual([{ capacity: 50 }]);
  await run(['apply', '-'], file('stores: [{ sid: s, capacity: null }]'));
  expect(await query('select capacity from store')).toEqual([{ capacity: null }]);
});

test('lists sent alerts, and sends a test', async () => {
  const { run } = await databaseWith('companies: [{ name: Acme }]');
  await run(['alert', 'target', 'set', 'boss', '--company', 'Acme', '--mail', 'b@acme.example']);
  expect((await run(['alert', 'test', 'nobody', '--company', 'Acme'])).err).toContain(
    'Acme has no alert target "nobody"',
  );
  expect((await run(['alert', 'test', 'boss', '--company', 'Acme'])).code).toBe(0);

  const [listed] = JSON.parse((await run(['alert', 'list', '--json'])).out);
  expect(listed).toMatchObject({ company: 'Acme', kind: 'test', sent: 0, waiting: 1 });
  expect((await run(['alert', 'list', '--open', '--json'])).out).toBe('[]');
  expect((await run(['alert', 'rule', 'set', 'beam-blocked', '--company', 'Nobody'])).code).toBe(1);
});
