import { expect, test } from 'vitest';
import { admin } from '../../test/run-admin.ts';

const add = (sid: string, ...more: string[]) => [
  'store',
  'add',
  sid,
  '--company',
  'acme',
  '--name',
  'Main Door',
  '--time-zone',
  'Europe/Berlin',
  ...more,
];

test('adds a company and its stores without a file, and lists them', async () => {
  const run = await admin();
  expect(await run(['company', 'add', 'Acme'])).toMatchObject({ code: 0, out: 'added company Acme' });
  expect(await run(add('S-1', '--day-starts-at', '06:00', '--capacity', '120'))).toMatchObject({ code: 0 });
  expect(await run(['device', 'add', 'CU-1', '--store', 'S-1'])).toMatchObject({ code: 0 });

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

test('never changes a company or a store that exists', async () => {
  const run = await admin();
  await run(['company', 'add', 'Acme']);
  await run(add('S-1'));

  expect(await run(['company', 'add', 'ACME'])).toMatchObject({
    code: 1,
    err: 'there is a company "ACME" already',
  });
  expect(await run(add('S-1', '--city', 'Berlin'))).toMatchObject({
    code: 1,
    err: 'acme has a store "S-1" already',
  });
});

test.each([
  [add('S-1', '--time-zone', 'Mars/North'), 'an IANA time zone'],
  [add('S-1', '--day-starts-at', '25:00'), 'a time of day'],
  [add('S-1', '--capacity', '0'), 'a whole number, 1 to 1000000'],
  [add(' S-1'), 'without spaces around it'],
])('names what was expected in %j', async (args, expected) => {
  const run = await admin();
  expect(await run(args)).toMatchObject({ code: 2, err: expect.stringContaining(expected) });
});

test.each([...['store', 'token', 'report', 'alert', 'enrolment'].map((list) => [list, 'list']), ['audit']])(
  'never shows an empty list for a company that does not exist: %s',
  async (...command) => {
    const run = await admin();
    expect(await run([...command, '--company', 'acme'])).toMatchObject({
      code: 1,
      err: 'there is no company "acme"',
    });
  },
);

test('refuses a store of a company that does not exist', async () => {
  const run = await admin();
  expect(await run(add('S-1'))).toMatchObject({ code: 1, err: 'there is no company "acme"' });
});
