import { expect, test } from 'vitest';
import { acmeTopology, databaseWith } from '../../test/run-admin.ts';

async function changedCompany() {
  const { run } = await databaseWith(acmeTopology);
  await run(['device', 'set', 'CU-1', '--store', 'S-2', '--since', '2026-11-20T10:00:00Z']);
  const list = async (...args: string[]) => {
    const { entries } = JSON.parse((await run(['audit', '--json', ...args])).out);
    return entries.map(({ action, subject }: { action: string; subject: { kind: string; key: string } }) =>
      [action, subject.kind, subject.key].join(' '),
    );
  };
  return { run, list };
}

test('lists changes with their authors, times and origins, the latest first', async () => {
  const { run, list } = await changedCompany();

  const { out } = await run(['audit']);

  expect(out.split('\n')[0]).toMatch(/^AT +WHO +FROM +ACTION +SUBJECT +COMPANY +DETAILS$/);
  expect(out).toMatch(
    /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ +anna +\S+@\S+ +moved +device CU-1 +Acme +since: "2026-11-20T10:00:00.000Z", store: "S-1" -> "S-2"/,
  );
  expect(await list()).toEqual([
    'moved device CU-1',
    'assigned device CU-1',
    'created device CU-1',
    'created store S-2',
    'created store S-1',
    'created company Acme',
  ]);
});

test('filters by time, author, subject and company, and pages', async () => {
  const { run, list } = await changedCompany();

  expect(await list('--subject', 'cu-1')).toEqual([
    'moved device CU-1',
    'assigned device CU-1',
    'created device CU-1',
  ]);
  expect(await list('--who', 'Anna', '--limit', '1')).toEqual(['moved device CU-1']);
  expect(await list('--who', 'Bert')).toEqual([]);
  expect(await list('--company', 'acme', '--from', '1h')).toHaveLength(6);
  expect(await list('--from', '2100-01-01')).toEqual([]);
  expect(await list('--until', '1h')).toEqual([]);
  expect(await run(['audit', '--company', 'Acne'])).toMatchObject({
    code: 1,
    err: 'there is no company "Acne"',
  });
  expect((await run(['audit', '--subject', 'CU-9'])).out).toBe('no entries');
  expect((await run(['audit', '--from', '1h', '--until', '2h'])).err).toContain('a time after --from');
  expect(await run(['audit', '--from', 'yesterday'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('Expected 24h, 7d, 2026-11-20 or an instant'),
  });
});

test('a change that fails leaves neither the change nor an entry', async () => {
  const { run, list } = await changedCompany();
  const before = await list();

  const { code, err } = await run(['device', 'set', 'CU-1', '--store', 'S-9']);

  expect([code, err]).toEqual([2, expect.stringContaining('the sid of a store of Acme')]);
  expect(await list()).toEqual(before);
});
