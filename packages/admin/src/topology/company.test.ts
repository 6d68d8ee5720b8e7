import { expect, test } from 'vitest';
import { databaseWith } from '../../test/run-admin.ts';

const store = ['--company', 'acme', '--name', 'Main Door', '--time-zone', 'Europe/Berlin'];
const add = (sid: string, ...more: string[]) => ['store', 'set', sid, ...store, ...more];

test('adds a company and its stores without a file, and lists them', async () => {
  const { run } = await databaseWith('companies: []');
  expect(await run(['company', 'set', 'Acme'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('created company Acme'),
  });
  expect(await run(add('S-1', '--day-starts-at', '06:00', '--capacity', '120'))).toMatchObject({ code: 0 });
  expect(await run(['device', 'set', 'CU-1', '--store', 'S-1'])).toMatchObject({ code: 0 });

  expect(JSON.parse((await run(['store', 'list', '--json'])).out)).toEqual([
    {
      company: 'Acme',
      sid: 'S-1',
      name: 'Main Door',
      timeZone: 'Europe/Berlin',
      dayStartsAt: '06:00',
      capacity: 120,
      devices: 1,
    },
  ]);
  expect((await run(['store', 'list', '--company', 'ACME'])).out).toMatch(
    /^COMPANY.*\nAcme +S-1 +Main Door +Europe\/Berlin +06:00 +120 +1$/,
  );
});

test('changes only the given fields of what exists', async () => {
  const { run } = await databaseWith('companies: []');
  await run(['company', 'set', 'Acme', '--retention-months', '24', '--yes']);
  await run(add('S-1', '--capacity', '120'));
  const week = '{ week: { monday: ["09:00-18:00"] } }';
  const change = ['store', 'set', 'S-1', '--company', 'Acme'];
  expect((await run([...change, '--opening-hours', week])).out).toContain('Acme: openingHours');
  expect((await run([...change, '--capacity', 'null'])).out).toContain('Acme: capacity');
  expect((await run(['group', 'set', 'West', '--company', 'Acme', '--stores', 'S-1'])).code).toBe(0);
  expect((await run(['company', 'set', 'ACME'])).out).toContain('changed company ACME: name');
  const { companies } = JSON.parse((await run(['export', '--json'])).out);
  expect(companies).toMatchObject([
    {
      retentionMonths: 24,
      stores: [{ name: 'Main Door', capacity: null, openingHours: { week: { monday: ['09:00-18:00'] } } }],
      shopGroups: [{ stores: ['S-1'] }],
    },
  ]);
});
