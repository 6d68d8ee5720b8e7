import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { adminOn } from '../../test/run-admin.ts';

const at = Date.parse('2026-11-20T09:15:30.123Z');

/** A store in Berlin with a device, three crossings in its journal `j`, and a heartbeat that reports five. */
async function berlin({ recorded = 5, acknowledged = 4 } = {}) {
  const url = await testDatabase();
  const rows = seed(url);
  const companyId = await rows.company('Acme');
  const storeId = await rows.store({ companyId, sid: 'S-1', name: 'Main Door', timeZone: 'Europe/Berlin' });
  const deviceId = await rows.device({ companyId, storeId, serial: 'CU-1', lastActivityAt: at });
  const journalId = await rows.journal(deviceId, 'j');
  const crossing = { journalId, deviceId, storeId, direction: 1 as const };
  await rows.crossings([1, 2, 3].map((sequence) => ({ ...crossing, sequence, at: at + sequence - 2 })));
  await rows.query(`update crossing set uncertainty_ms = 12 where sequence = 2`);
  const heartbeat = { at, journal: 'j', recorded, acknowledged, clock: 'synced' };
  await rows.query('update device_state set heartbeat_at = $1, heartbeat = $2', [
    new Date(at),
    JSON.stringify(heartbeat),
  ]);
  const run = adminOn(url);
  const trace = async (sequence: number, journal = 'j') =>
    JSON.parse((await run(['trace', 'cu-1', journal, String(sequence), '--json'])).out);
  return { url, rows, run, trace, journalId, companyId, storeId, deviceId };
}

test('shows a counted crossing with its instant, its store, and its amount', async () => {
  const { run, trace } = await berlin({ recorded: 3, acknowledged: 3 });

  const { out } = await run(['trace', 'CU-1', 'j', '2']);

  expect(out).toContain('crossing 2 of journal j of CU-1 (CU-1), Acme\ncounted: it is in the numbers\n');
  expect(out).toMatch(/crossed +2026-11-20T09:15:30.123Z, in, uncertain by 12 ms/);
  expect(out).toMatch(/stored +.*transaction \d+/);
  expect(out).toMatch(/DateTime +2026-11-20T10:15:30.123\+01:00/);
  expect(out).toMatch(/Amount +2, on the business day 2026-11-20/);
  expect(await trace(2)).toMatchObject({
    state: 'counted',
    crossing: { projection: { pendingSince: null, entries: 3, exits: 0 }, store: { sid: 'S-1' } },
  });
});

test('shows no amount of a business day of which crossings were removed', async () => {
  const { rows, run, trace } = await berlin();
  await rows.query('update company set retention_months = 1');
  await rows.query(`update crossing set at = now() - interval '2 months'`);

  expect(await trace(2)).toMatchObject({ state: 'counted', crossing: { answer: { occupancy: null } } });
  expect((await run(['trace', 'CU-1', 'j', '2'])).out).toMatch(
    /Amount +not known: other crossings of the business day .* were removed because of their age/,
  );
});

test.each([
  [4, 'j', 'missing'],
  [5, 'j', 'pending'],
  [6, 'j', 'unknown'],
  [1, 'other', 'unknown'],
])('crossing %i of journal %s is %s, by the last heartbeat', async (sequence, journal, state) => {
  const { trace } = await berlin();
  expect(await trace(sequence, journal)).toMatchObject({ state });
});

test('shows a voided, a rejected and a lost crossing', async () => {
  const { run, rows, trace, journalId } = await berlin();
  const range = ['--from', '2026-11-20T09:00:00Z', '--until', '2026-11-20T09:30:00Z'];
  await run(['crossings', 'void', '--device', 'CU-1', ...range, '--reason', 'test', '--yes']);
  const payload = JSON.stringify({ journal: 'j', entries: [[7, [at, 2]]] });
  await rows.query(
    `insert into rejected_message (device_id, topic, reason, payload, digest)
     select id, 'counter/v1/CU-1/crossings', 'direction: 2', $1, sha256($1) from device`,
    [Buffer.from(payload)],
  );
  await rows.query(
    `update journal set accounted = '{[8,9]}', lost = '{[8,9]}', lost_at = now() where id = $1`,
    [journalId],
  );

  expect(await trace(2)).toMatchObject({
    state: 'voided',
    crossing: { voidId: 1, store: { sid: 'S-1' } },
  });
  expect(await trace(7)).toMatchObject({
    state: 'rejected',
    rejections: [{ id: '1', reason: 'direction: 2' }],
  });
  expect(await trace(8)).toMatchObject({ state: 'lost', gaps: [{ state: 'lost' }] });
});
