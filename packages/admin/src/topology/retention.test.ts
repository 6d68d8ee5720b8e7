import { oneDoor } from '@visitor-counter/test/one-door';
import { expect, test } from 'vitest';
import { adminOn } from '../../test/run-admin.ts';

const month = 31 * 24 * 60 * 60_000;

const set = ['company', 'set', 'Acme', '--retention-months', '1', '--yes'];

/** A door with a crossing of two months ago, and one of now. */
async function oneDoorWithCrossings() {
  const { url, rows, companyId, storeId, deviceId } = await oneDoor();
  await rows.query('update company set retention_months = null');
  await rows.store({ companyId, sid: 'S-2' });
  const journalId = await rows.journal(deviceId, 'j');
  const crossing = { journalId, deviceId, storeId, direction: 1 as const };
  const now = Date.now();
  await rows.crossings([
    { ...crossing, sequence: 1, at: now - 2 * month },
    { ...crossing, sequence: 2, at: now },
  ]);
  const run = adminOn(url);
  const list = async () => JSON.parse((await run(['company', 'list', '--json'])).out)[0].retentionMonths;
  const [row] = await rows.query('select horizon(1) as at');
  return { rows, run, list, now, kept: new Date(Number(row?.['at'])).toISOString() };
}

test('sets how long crossings are kept, by a command and by a file, and lists it', async () => {
  const { rows, run, list } = await oneDoorWithCrossings();
  expect(await list()).toBe(null);
  const asked = await run(set.slice(0, -1), 'no\n');
  expect(asked.out).toContain('Remove the crossings of Acme that are older than 1 month for good?');
  expect(asked).toMatchObject({ code: 1, err: expect.stringContaining('not confirmed') });
  expect(await run([...set.slice(0, -1), '--json'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--yes'),
  });
  expect(await list()).toBe(null);
  expect((await run(set)).out).toContain('changed company Acme: retentionMonths');
  expect(await list()).toBe(1);

  await run(set);
  const file = (months: string) => `companies: [{ name: Acme, retentionMonths: ${months} }]`;
  expect((await run(['apply', '-'], file('null'))).out).toContain('retentionMonths');
  expect(await list()).toBe(null);
  expect((await run(['apply', '-'], file('0'))).err).toContain(
    'companies[0].retentionMonths is 0: expected for how many months crossings are kept, 1 to 1200, or null',
  );
  expect(await rows.query(`select subject, details from audit_entry where action = 'changed'`)).toEqual([
    { subject: 'Acme', details: { retention_months: { from: 1200, to: null } } },
    { subject: 'Acme', details: { retention_months: { from: null, to: 1 } } },
    { subject: 'Acme', details: { retention_months: { from: 1, to: null } } },
  ]);
});

test('refuses changes of numbers whose crossings are no longer kept', async () => {
  const { run, now, kept } = await oneDoorWithCrossings();
  await run(set);
  const since = new Date(now - 2 * month).toISOString();
  const range = ['--from', since, '--until', new Date(now).toISOString()];
  const refused = [
    ['crossings', 'void', '--device', 'CU-1', ...range, '--reason', 'test', '--yes'],
    ['apply', '-'],
  ];
  const file = `companies:
  - { name: Acme, devices: [{ serial: CU-1, store: S-2, since: "${since}" }] }`;
  for (const args of refused) {
    expect(await run(args, file)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`crossings before ${kept} are no longer kept`),
    });
  }
});
