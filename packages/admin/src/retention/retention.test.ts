import { oneDoor } from '@visitor-counter/test/one-door';
import { retained } from '@visitor-counter/test/retained';
import { expect, test } from 'vitest';
import { adminOn } from '../../test/run-admin.ts';

const now = Date.parse('2026-11-23T12:00:00Z');

async function oneDoorWithCrossings() {
  const { url, rows, companyId, storeId, deviceId } = await oneDoor();
  await rows.store({ companyId, sid: 'S-2' });
  const journalId = await rows.journal(deviceId, 'j');
  await rows.crossings(
    [9, 10].map((month, index) => ({
      journalId,
      deviceId,
      storeId,
      sequence: index + 1,
      at: Date.UTC(2026, month, 20, 10),
      direction: 1 as const,
    })),
  );
  const run = adminOn(url);
  const list = async () => JSON.parse((await run(['retention', 'list', '--json'])).out).companies;
  return { url, rows, run, list };
}

test('sets how long crossings are kept, by a command and by a file, and lists what was removed', async () => {
  const { url, rows, run, list } = await oneDoorWithCrossings();
  expect(await list()).toEqual([{ company: 'Acme', months: null, before: null, removed: 0, finished: true }]);
  expect(await run(['retention', 'set', '--company', 'acme', '--months', '1', '--yes'])).toMatchObject({
    code: 0,
    out: 'Acme keeps crossings for 1 month',
  });
  expect(await retained(url, now)).toBe(1);
  expect(await list()).toEqual([
    { company: 'Acme', months: 1, before: '2026-10-23T00:00:00.000Z', removed: 1, finished: true },
  ]);
  expect((await run(['retention', 'list'])).out).toMatch(/Acme +1 month +2026-10-23T00:00:00Z +1 +done/);

  await run(['retention', 'set', '--company', 'acme', '--months', '1', '--yes']);
  const file = (months: string) => `companies: [{ name: Acme, retentionMonths: ${months} }]`;
  expect((await run(['apply', '-'], file('null'))).out).toContain('retentionMonths');
  expect(await list()).toMatchObject([{ months: null, before: '2026-10-23T00:00:00.000Z' }]);
  expect((await run(['apply', '-'], file('0'))).err).toContain(
    'companies[0].retentionMonths is 0: expected for how many months crossings are kept, 1 to 1200, or null',
  );
  expect(await rows.query(`select subject, details from audit_entry where subject_kind = 'company'`)).toEqual(
    [
      { subject: 'Acme', details: { retentionMonths: { from: null, to: 1 } } },
      { subject: 'Acme', details: { retentionMonths: { from: 1, to: null } } },
    ],
  );
});

test('refuses changes of numbers whose crossings were removed', async () => {
  const { url, run } = await oneDoorWithCrossings();
  await run(['retention', 'set', '--company', 'Acme', '--months', '1', '--yes']);
  await retained(url, now);
  const range = ['--from', '2026-10-20T00:00:00Z', '--until', '2026-11-21T00:00:00Z'];
  const refused = [
    ['crossings', 'void', '--device', 'CU-1', ...range, '--reason', 'test', '--yes'],
    ['apply', '-'],
  ];
  const file = `companies:
  - { name: Acme, devices: [{ serial: CU-1, store: S-2, since: "2026-10-20T00:00:00Z" }] }`;
  for (const args of refused) {
    expect(await run(args, file)).toMatchObject({
      code: 1,
      err: expect.stringContaining('crossings before 2026-10-23T00:00:00.000Z were removed'),
    });
  }
  expect((await run(['trace', 'CU-1', 'j', '1'])).out).toContain('unless an operator had voided it');
});
