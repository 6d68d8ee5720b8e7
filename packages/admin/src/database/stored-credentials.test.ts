import { randomBytes } from 'node:crypto';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { adminOn } from '../../test/run-admin.ts';

const url = 'https://hooks.example/services/T0001/B0002/9fXkQv7LmNpRsTuW';
const given = {
  webhook: `whsec_${randomBytes(32).toString('base64')}`,
  device: randomBytes(18).toString('base64url'),
  credential: randomBytes(18).toString('base64url'),
};
const file = JSON.stringify({
  companies: [
    {
      name: 'Acme',
      stores: [{ sid: 'S-1', name: 'Main', timeZone: 'UTC' }],
      devices: [
        { serial: 'CU-1', store: 'S-1', secret: given.device },
        { serial: 'CU-2', store: 'S-1' },
      ],
      credentials: [
        { kind: 'counts', label: 'till', value: given.credential },
        { kind: 'staff', label: 'floor' },
      ],
      alertTargets: [
        { label: 'ops', url, secret: given.webhook },
        { label: 'chat', url: 'https://hooks.example/other' },
        { label: 'boss', mail: 'b@acme.example' },
      ],
    },
  ],
});

/** Every form in which a dump might contain a secret. */
function formsOf(secret: string): string[] {
  const bytes = [Buffer.from(secret), Buffer.from(secret.replace(/^whsec_/, ''), 'base64')];
  return [
    secret.replace(/^whsec_/, ''),
    ...bytes.flatMap((one) => [one.toString('hex'), one.toString('base64')]),
  ];
}

test('no table contains a secret in a form that could be used', async () => {
  const database = await testDatabase();
  const key = randomBytes(32).toString('base64');
  const run = adminOn(database, { SECRETS_KEY: key });
  const applied = JSON.parse((await run(['apply', '-', '--json'], file)).out);

  const rows = seed(database);
  const tables = await rows.query(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  const content = await Promise.all(
    tables.map(({ name }) => rows.query(`select row_to_json(r)::text as row from ${name} r`)),
  );
  const dump = content
    .flat()
    .map(({ row }) => String(row))
    .join('\n');

  expect(dump).toContain('b@acme.example');
  const made = applied.secrets.map((one: { secret?: string; value?: string }) => one.secret ?? one.value);
  expect(made).toHaveLength(3);
  for (const secret of [...made, ...Object.values(given), url, key])
    for (const form of formsOf(secret)) expect(dump.includes(form), `a form of ${secret}`).toBe(false);
});
