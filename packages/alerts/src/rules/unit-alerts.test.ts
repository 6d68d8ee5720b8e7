import { expect, test } from 'vitest';
import { oneCompany } from '../../test/company.ts';
import { evaluate } from './evaluate.ts';

/** A company with two devices that report what a test says, and a rule. */
async function twoUnits(kind: string, seconds = 0) {
  const acme = await oneCompany();
  const { rows, companyId, storeId, database } = acme;
  await rows.device({ companyId, storeId, serial: 'CU-2', lastActivityAt: Date.now() });
  await acme.rule(kind, seconds);
  const report = async (serial: string, heartbeat: object | string) => {
    const text = typeof heartbeat === 'string' ? heartbeat : JSON.stringify({ at: 1, ...heartbeat });
    await rows.query(
      `update device_state set heartbeat_at = now(), heartbeat = $2
       where device_id = (select id from device where serial = $1)`,
      [serial, text],
    );
  };
  /** The open alerts after another evaluation. */
  const open = async () => {
    await evaluate(database.kysely);
    return rows.query(`select kind, about from alert where cleared_at is null order by about->>'serial'`);
  };
  const threshold = (limit: string | null) => rows.query('update alert_rule set threshold = $1', [limit]);
  return { ...acme, report, open, threshold };
}

test('reports nearly full disks until clearly more is free', async () => {
  const { report, open, threshold, rows } = await twoUnits('disk-low');
  await report('CU-1', { diskFree: 200e6 });
  await report('CU-2', { diskFree: 1.6e9, diskSize: 31e9 });
  expect(await open()).toEqual([]);

  await report('CU-1', { diskFree: 199_999_999 });
  await report('CU-2', { diskFree: 1.5e9, diskSize: 31e9 });
  expect(await open()).toMatchObject([
    { kind: 'disk-low', about: { serial: 'CU-1', diskFree: 199_999_999, store: 'Main' } },
    { kind: 'disk-low', about: { serial: 'CU-2', diskFree: 1.5e9 } },
  ]);
  await report('CU-1', { diskFree: 215e6 });
  await report('CU-2', { diskFree: 1.8e9, diskSize: 31e9 });
  expect(await open()).toMatchObject([{ about: { serial: 'CU-1' } }]);
  await report('CU-1', { diskFree: 221e6 });
  expect(await open()).toEqual([]);

  await threshold('10%');
  expect(await open()).toMatchObject([{ about: { serial: 'CU-2' } }]);
  await threshold('1GB');
  expect(await open()).toMatchObject([{ about: { serial: 'CU-1' } }]);
  await rows.query('update device set retired_at = now()');
  expect(await open()).toEqual([]);
});

test('reports units that are older than a version the operator has set', async () => {
  const { report, open, threshold } = await twoUnits('version-old', 14 * 86_400);
  await threshold('1.10.0');
  await report('CU-1', { version: '1.9.12' });
  await report('CU-2', { version: '1.10.0' });
  expect(await open()).toMatchObject([
    { kind: 'version-old', about: { serial: 'CU-1', version: '1.9.12', expected: '1.10.0' } },
  ]);
  await report('CU-1', { version: '1.10.1' });
  expect(await open()).toEqual([]);
});

test('reports units that have been older than the newest one of the company for the time of the rule', async () => {
  const { report, open, rows } = await twoUnits('version-old', 14 * 86_400);
  await report('CU-1', { version: '1.2.0' });
  await report('CU-2', { version: '1.3.0' });
  expect(await open()).toEqual([]);
  const oldFor = (interval: string) =>
    rows.query(
      `update device set troubles = jsonb_build_object('version',
         floor(extract(epoch from now() - $1::interval) * 1000)) where serial = 'CU-1'`,
      [interval],
    );
  await oldFor('13 days 23 hours');
  expect(await open()).toEqual([]);
  await oldFor('14 days');
  expect(await open()).toMatchObject([{ about: { serial: 'CU-1', version: '1.2.0', expected: '1.3.0' } }]);

  /* Nobody has the newer one any more: a unit had it by mistake. */
  await report('CU-2', { version: '1.2.0' });
  expect(await open()).toEqual([]);
  await report('CU-2', { version: '1.3.0' });
  expect(await open()).toEqual([]);
});

test('reports a unit that has not installed its target, until it has it or another target', async () => {
  const { report, open, rows } = await twoUnits('update-failed');
  await rows.query(`update device set target_version = '1.4.0' where serial = 'CU-1'`);
  const update = (result: string, version = '1.4.0') => ({ update: { version, result, at: 1 } });
  for (const result of ['rolled back', 'failed']) {
    await report('CU-1', update(result));
    await report('CU-2', update(result));
    expect(await open()).toMatchObject([
      { kind: 'update-failed', about: { serial: 'CU-1', expected: '1.4.0' } },
    ]);
  }
  await report('CU-1', update('installed'));
  expect(await open()).toEqual([]);
  await report('CU-1', update('rolled back'));
  expect(await open()).toHaveLength(1);
  await rows.query(`update device set target_version = '1.4.1'`);
  expect(await open()).toEqual([]);
});

test('reports a door with a beam that flickers since its first heartbeat that said so', async () => {
  const { report, open, rows } = await twoUnits('beam-flickering', 900);
  await report('CU-1', { lines: { flickering: 'a' } });
  await report('CU-2', { lines: { restarts: 2 } });
  expect(await open()).toEqual([]);
  const since = Date.now() - 900_000;
  await rows.query(
    `update device set troubles = jsonb_build_object('flickering', $1::float8) where serial = 'CU-1'`,
    [since],
  );
  expect(await open()).toMatchObject([
    { kind: 'beam-flickering', about: { serial: 'CU-1', since: new Date(since).toISOString() } },
  ]);
  await report('CU-1', { lines: { restarts: 0 } });
  expect(await open()).toEqual([]);
});
