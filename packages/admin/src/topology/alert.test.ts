import { readSecretsKey, unsealWebhook } from '@visitor-counter/database/secrets/secrets-key';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { adminOn, SECRETS_KEY } from '../../test/run-admin.ts';

async function acme() {
  const url = await testDatabase();
  const rows = seed(url);
  await rows.company('Acme');
  return { rows, run: adminOn(url) };
}

const file = (company: string) => `companies:\n  - name: Acme\n${company.replaceAll(/^/gm, '    ')}`;

test('sets rules and targets by file and by command, and changes nothing else', async () => {
  const { rows, run } = await acme();
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

  expect(await rows.query('select kind, after_seconds, enabled from alert_rule order by kind')).toEqual([
    { kind: 'beam-blocked', after_seconds: 120, enabled: true },
    { kind: 'capacity-reached', after_seconds: 0, enabled: true },
    { kind: 'device-inactive', after_seconds: 600, enabled: false },
  ]);
  const targets = await rows.query('select label, kind, address, sealed from alert_target order by label');
  expect(targets).toEqual([
    { label: 'boss', kind: 'mail', address: 'b@acme.example', sealed: null },
    { label: 'ops', kind: 'webhook', address: null, sealed: expect.any(Buffer) },
  ]);
  expect(unsealWebhook(await readSecretsKey({ SECRETS_KEY }), Object(targets[1]).sealed)).toEqual({
    url: 'http://127.0.0.1/y',
    secret: secret.secret,
  });
  expect(await rows.query('select capacity from store')).toEqual([{ capacity: 50 }]);
  await run(['apply', '-'], file('stores: [{ sid: s, capacity: null }]'));
  expect(await rows.query('select capacity from store')).toEqual([{ capacity: null }]);
});

test.each([
  ['alertRules: [{ kind: fire }]', 'alertRules[0].kind is "fire": expected one of device-inactive'],
  ['alertRules: [{ kind: beam-blocked, after: -5 }]', 'alertRules[0].after is -5: expected a time up to 30d'],
  ['alertRules: [{ kind: beam-blocked, after: 31d }]', 'alertRules[0].after is "31d": expected a time up to'],
  ['alertRules: [{ kind: capacity-reached, after: 5s }]', 'alertRules[0].after is "5s": expected absent'],
  ['alertRules: [{ kind: disk-low, after: 5s }]', 'alertRules[0].after is "5s": expected absent'],
  [
    'alertRules: [{ kind: disk-low, threshold: 1.4.0 }]',
    'alertRules[0].threshold is "1.4.0": expected a limit',
  ],
  [
    'alertRules: [{ kind: version-old, threshold: 10% }]',
    'alertRules[0].threshold is "10%": expected a version',
  ],
  ['alertRules: [{ kind: beam-blocked, threshold: 10% }]', 'expected absent: only disk-low and version-old'],
  [
    'alertRules: [{ kind: disk-low, threshold: much }]',
    'alertRules[0].threshold is "much": expected a limit',
  ],
  ['alertTargets: [{ label: a, url: "ftp://x" }]', 'alertTargets[0].url is "ftp://x": expected a URL'],
  ['alertTargets: [{ label: a }]', 'alertTargets[0].url is missing: expected a url, or mail'],
  [
    'alertTargets: [{ label: a, url: "http://x", mail: a@b }]',
    'alertTargets[0].mail is "a@b": expected not together',
  ],
  ['alertTargets: [{ label: a, url: "http://x", secret: whsec_AA }]', 'secret has 8 characters (not shown)'],
  ['alertTargets: [{ label: a, mail: "a@b,c@d" }]', 'alertTargets[0].mail is "a@b,c@d": expected an e-mail'],
  [
    'stores: [{ sid: s, name: S, timeZone: UTC, capacity: 0 }]',
    'stores[0].capacity is 0: expected the number',
  ],
])('rejects %s', async (text, problem) => {
  const { run } = await acme();
  const { code, err } = await run(['apply', '-'], file(text));
  expect(code).toBe(2);
  expect(err).toContain(problem);
});

test('lists sent alerts, and sends a test', async () => {
  const { run } = await acme();
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
