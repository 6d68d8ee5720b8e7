import { oneDoor } from '@visitor-counter/test/one-door';
import { expect, test } from 'vitest';
import { adminOn } from '../../test/run-admin.ts';

async function acme() {
  const { url, rows, companyId, storeId } = await oneDoor();
  await rows.shopGroup(companyId, 'West', [storeId]);
  return { rows, admin: adminOn(url, {}) };
}

const set = ['report', 'set', 'Daily', '--company', 'acme'];

test('sets up, changes, lists and removes reports', async () => {
  const { admin, rows } = await acme();
  const add = [...set, '--period', 'daily', '--recipients', 'a@acme.example', 'b@acme.example'];
  expect((await admin(add)).out).toContain('created mail report Daily of Acme');
  expect((await admin(add)).out).toContain('0 created, 0 changed');
  expect((await admin([...set, '--group', 'west', '--language', 'sl'])).out).toContain('language, group');
  expect((await admin([...set, '--stores', 'S-1', '--enabled', 'false'])).out).toContain(
    'group, stores, enabled',
  );
  const listed = JSON.parse((await admin(['report', 'list', '--company', 'Acme', '--json'])).out);
  expect(listed).toMatchObject([
    {
      company: 'Acme',
      name: 'Daily',
      period: 'daily',
      language: 'sl',
      group: null,
      stores: ['S-1'],
      recipients: ['a@acme.example', 'b@acme.example'],
      enabled: false,
      lastSentAt: null,
    },
  ]);
  expect((await admin(['report', 'remove', 'Daily', '--company', 'Acme'])).code).toBe(0);
  expect((await admin(['report', 'remove', 'Daily', '--company', 'Acme'])).err).toContain(
    'has no mail report Daily',
  );
  expect(await rows.query('select * from mail_report where store_ids is not null')).toEqual([]);
});

test.each([
  [
    'before it opens the database',
    '{ recipients: [x], language: fr }, { name: b }, { name: b }',
    ['[0].recipients', '[0].language', '[2].name'],
  ],
  [
    'and in what the database has',
    '{ name: a }, { name: b, period: daily, recipients: [a@b.c], stores: [S-9] }',
    ['[0].period', '[0].recipients', '[1].stores'],
  ],
])('reports each mistake in a file %s', async (_, reports, paths) => {
  const { admin } = await acme();
  const { code, err } = await admin(['apply', '-'], `companies: [{ name: Acme, reports: [${reports}] }]`);
  expect(code).toBe(2);
  for (const path of paths) expect(err).toContain(`companies[0].reports${path}`);
});
