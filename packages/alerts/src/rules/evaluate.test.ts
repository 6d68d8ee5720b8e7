import { removeOldAlerts } from '@visitor-counter/database/alerts/open-alerts';
import { recordExceededRate } from '@visitor-counter/database/devices/device-states';
import { expect, test } from 'vitest';
import { oneCompany } from '../../test/company.ts';
import { evaluate } from './evaluate.ts';

test('raises an alert once, clears it once, and raises another one for another incident', async () => {
  const acme = await oneCompany();
  await acme.rule('device-inactive', 600);
  expect(await evaluate(acme.database.kysely)).toEqual({ raised: 0, cleared: 0, open: 0 });

  await acme.lastSeen(601);
  expect(await evaluate(acme.database.kysely)).toEqual({ raised: 1, cleared: 0, open: 1 });
  expect(await evaluate(acme.database.kysely)).toEqual({ raised: 0, cleared: 0, open: 1 });
  await acme.lastSeen(1);
  expect(await evaluate(acme.database.kysely)).toEqual({ raised: 0, cleared: 1, open: 0 });
  await acme.lastSeen(601);
  await evaluate(acme.database.kysely);

  const alerts = await acme.alerts();
  expect(alerts.map(({ open }) => open)).toEqual([false, true]);
  expect(new Set(alerts.map(({ id }) => id)).size).toBe(2);
});

test('raises one alert if several processes evaluate at the same time', async () => {
  const acme = await oneCompany();
  await acme.rule('device-inactive', 600);
  await acme.lastSeen(601);

  await Promise.all(Array.from({ length: 4 }, () => evaluate(acme.database.kysely)));
  await evaluate(acme.database.kysely);

  expect(await acme.alerts()).toHaveLength(1);
});

test('raises nothing for devices after an outage of all gateways, and one alert for the outage', async () => {
  const acme = await oneCompany();
  await acme.rule('device-inactive', 600);
  await acme.rule('service-unavailable', 60);
  await acme.lastSeen(7_200);
  await acme.rows.query(`update gateway set storing_at = now() - interval '61 s'`);

  await evaluate(acme.database.kysely);
  expect(await acme.alerts()).toMatchObject([{ kind: 'service-unavailable', open: true }]);
  await acme.rows.query('update gateway set storing_since = now(), storing_at = now()');
  await evaluate(acme.database.kysely);

  expect(await acme.alerts()).toMatchObject([{ kind: 'service-unavailable', open: false }]);
});

test('clears an alert if its rule is removed or its device retired', async () => {
  const acme = await oneCompany();
  await acme.rule('device-inactive', 600);
  await acme.lastSeen(601);
  await evaluate(acme.database.kysely);
  await acme.rows.query('update device set retired_at = now()');
  await evaluate(acme.database.kysely);
  expect(await acme.alerts()).toMatchObject([{ open: false }]);

  await acme.rows.query('update device set retired_at = null');
  await evaluate(acme.database.kysely);
  await acme.rows.query('update alert_rule set enabled = false');
  await evaluate(acme.database.kysely);
  expect(await acme.alerts()).toMatchObject([{ open: false }, { open: false }]);
});

test('reports a store whose unit has pending crossings, until they arrive', async () => {
  const acme = await oneCompany();
  await acme.rule('data-overdue', 600);
  const report = (acknowledged: number, minutesAgo: number) =>
    acme.heartbeat(
      { at: Date.now() - minutesAgo * 60_000, journal: 'j', recorded: 9, acknowledged },
      minutesAgo * 60,
    );
  const journalId = await acme.rows.journal(acme.deviceId, 'j');
  const { storeId, deviceId } = acme;
  const at = Date.now() - 700_000;
  await acme.rows.crossings([{ storeId, deviceId, journalId, sequence: 4, at, direction: 1 }]);
  await report(9, 1);
  await evaluate(acme.database.kysely);
  expect(await acme.alerts()).toEqual([]);

  await report(4, 0);
  await evaluate(acme.database.kysely);
  expect(await acme.alerts()).toMatchObject([{ kind: 'data-overdue', open: true }]);

  await report(9, 0);
  await evaluate(acme.database.kysely);
  expect(await acme.alerts()).toMatchObject([{ open: false }]);
});

test('raises one alert for a device that exceeds its limits, until it has no rejected messages', async () => {
  const acme = await oneCompany();
  await acme.rule('limits-exceeded', 0);
  const keep = (reason: string, payload: string) =>
    acme.rows.query(
      `insert into rejected_message (device_id, topic, reason, payload, digest)
       values ($1, 'counter/v1/CU-1/crossings', $2, $3, sha256($3))`,
      [acme.deviceId, reason, Buffer.from(payload)],
    );
  await keep('conflict: another crossing', 'a');
  await evaluate(acme.database.kysely);
  expect(await acme.alerts()).toEqual([]);

  await keep('limit: more than 1000 journals of it', 'Visit https://evil.example');
  await keep('limit: more than 1000 journals', 'c');
  await evaluate(acme.database.kysely);
  await evaluate(acme.database.kysely);
  expect(await acme.alerts()).toMatchObject([
    { kind: 'limits-exceeded', subject: `${acme.deviceId}`, open: true },
  ]);
  const [about] = await acme.rows.query('select about from alert');
  expect(JSON.stringify(about)).not.toContain('evil');

  await acme.rows.query(`delete from rejected_message where reason like 'limit:%'`);
  await evaluate(acme.database.kysely);
  expect(await acme.alerts()).toMatchObject([{ open: false }]);
});

test('raises an alert for a device that sends more than its rate allows, until some time after it has stopped', async () => {
  const acme = await oneCompany();
  await acme.rule('limits-exceeded', 0);
  await acme.heartbeat({ at: Date.now() }, 0);
  await recordExceededRate(acme.database.kysely, acme.deviceId);
  await evaluate(acme.database.kysely);
  expect(await acme.alerts()).toMatchObject([{ kind: 'limits-exceeded', open: true }]);

  await acme.rows.query(`update device_state set rate_exceeded_at = now() - interval '16 minutes'`);
  await evaluate(acme.database.kysely);
  expect(await acme.alerts()).toMatchObject([{ open: false }]);
});

/** How long a beam must be blocked (s): much longer than a test takes. */
const after = 3_000;
const attack = 'Call https://evil.example now';

async function blockedBy(acme: Awaited<ReturnType<typeof oneCompany>>) {
  await acme.rule('beam-blocked', after);
  await acme.target('https://hooks.example/');
  /** A heartbeat that arrived some seconds ago. */
  const beat = (state: 'blocked' | 'clear', secondsAgo: number, since = 0) => {
    const beams = Array.from({ length: 16 }, (_, n) => ({ name: `${attack} ${n}`, state, since, breaks: 1 }));
    return acme.heartbeat({ at: Date.now(), version: attack, problem: attack, beams }, secondsAgo);
  };
  return beat;
}

test('reports at most two beams of a device, after the time of the rule, without text of the unit', async () => {
  const acme = await oneCompany();
  const beat = await blockedBy(acme);
  const begun = Date.now();
  await beat('blocked', 5);
  await evaluate(acme.database.kysely);
  expect(await acme.alerts()).toEqual([]);

  /* The beams stay blocked: the time is that of the first heartbeat. */
  const since = Date.now() - (after + 1) * 1_000;
  await acme.rows.query('update device set troubles = $1', [{ 'beam 1': since, 'beam 2': since }]);
  await beat('blocked', 0);
  await evaluate(acme.database.kysely);

  expect(await acme.alerts()).toMatchObject([
    { subject: `${acme.deviceId} beam 1`, open: true },
    { subject: `${acme.deviceId} beam 2`, open: true },
  ]);
  expect(JSON.stringify(await acme.rows.query('select * from alert'))).not.toContain('evil');
  const clock = await acme.rows.query(`select bool_and(began_at between $1 and now()) as right from alert`, [
    new Date(begun - 1_000),
  ]);
  expect(clock).toEqual([{ right: true }]);
});

test('raises the same alert four times an hour, and then reports once that it is flapping', async () => {
  const acme = await oneCompany();
  const beat = await blockedBy(acme);
  for (let time = 0; time < 30; time += 1) {
    await beat('blocked', after + 1);
    await evaluate(acme.database.kysely);
    await beat('clear', 0);
    await evaluate(acme.database.kysely);
  }
  const counts = () =>
    acme.rows.query(
      `select kind, subject, count(*)::int as count, bool_or(cleared_at is null) as open
       from alert group by kind, subject order by kind, subject`,
    );
  const beam = (n: number) => ({ kind: 'beam-blocked', subject: `${acme.deviceId} beam ${n}`, count: 4 });
  const flapping = (n: number) => ({
    kind: 'flapping',
    subject: `beam-blocked ${acme.deviceId} beam ${n}`,
    count: 1,
  });
  expect(await counts()).toEqual([
    { ...beam(1), open: false },
    { ...beam(2), open: false },
    { ...flapping(1), open: true },
    { ...flapping(2), open: true },
  ]);

  /* An hour later it is quiet, and what begins then is an alert again. */
  await acme.rows.query(`update alert set raised_at = raised_at - interval '61 minutes'`);
  await evaluate(acme.database.kysely);
  expect(await counts()).toMatchObject([{ open: false }, { open: false }, { open: false }, { open: false }]);
  await beat('blocked', after + 1);
  await evaluate(acme.database.kysely);
  expect(await counts()).toMatchObject([{ count: 5, open: true }, { count: 5, open: true }, {}, {}]);
});

test('raises and clears one alert per device for missing crossings, lost crossings and cloned units', async () => {
  const acme = await oneCompany();
  for (const kind of ['crossings-missing', 'crossings-lost', 'cloned-unit'] as const)
    await acme.rule(kind, 0);
  await acme.rows.journal(acme.deviceId, 'j');
  await acme.rows.query(
    `update journal set missing = '{[13,20]}', missing_since = now(), lost = '{[6,8]}', lost_at = now(),
       lost_lately = 3, conflict_since = now(), conflict_at = now()`,
  );
  await evaluate(acme.database.kysely);
  await evaluate(acme.database.kysely);

  const [kinds] = await acme.rows.query('select array_agg(kind order by kind) as kinds from alert');
  expect(kinds).toEqual({ kinds: ['cloned-unit', 'crossings-lost', 'crossings-missing'] });

  await acme.rows.query(
    `update journal set missing = '{}', missing_since = null, lost_at = now() - interval '25 hours',
       conflict_at = now() - interval '25 hours'`,
  );
  await evaluate(acme.database.kysely);
  expect(await acme.rows.query('select from alert where cleared_at is null')).toHaveLength(0);
});

test('raises an alert for a device that is suspected of counting the wrong way round, and clears it', async () => {
  const acme = await oneCompany();
  await acme.rule('direction-doubtful', 0);
  await acme.rows.query('update device set direction_doubtful_since = now()');
  await evaluate(acme.database.kysely);
  expect(await acme.alerts()).toMatchObject([{ kind: 'direction-doubtful', open: true }]);
  await acme.rows.query('update device set direction_doubtful_since = null');
  await evaluate(acme.database.kysely, new Map([['direction-doubtful', []]]));
  expect(await acme.alerts()).toMatchObject([{ kind: 'direction-doubtful', open: false }]);
});

test('raises an alert while a unit cannot store crossings, and clears it afterwards', async () => {
  const acme = await oneCompany();
  await acme.rule('storage-failing', 0);
  const report = (more: object) =>
    acme.heartbeat({ at: Date.now(), journal: 'j', recorded: 9, acknowledged: 9, ...more });
  await report({ storage: 'failed', held: 3 });
  await evaluate(acme.database.kysely);
  expect(await acme.alerts()).toMatchObject([{ kind: 'storage-failing', open: true }]);
  await report({});
  await evaluate(acme.database.kysely);
  expect(await acme.alerts()).toMatchObject([{ kind: 'storage-failing', open: false }]);
});

test('removes an alert with its messages a year after its end, and no open one', async () => {
  const acme = await oneCompany();
  await acme.target('https://hooks.example/');
  await acme.rows.query(
    `insert into alert (company_id, kind, subject, about, began_at, raised_at, cleared_at)
     select $1, 'beam-blocked', n::text, '{}', '2020-01-01', '2020-01-01',
       case when n = 1 then null when n = 2 then now() - interval '1 year' + interval '1 minute'
         else now() - interval '1 year' - interval '1 minute' end
     from generate_series(1, 4) n`,
    [acme.companyId],
  );
  await acme.rows.query(
    `insert into outbox (channel, kind, alert_id, target_id)
     select target.kind, phase, alert.id, target.id from alert, alert_target target, unnest('{raised,cleared}'::text[]) phase`,
  );
  await removeOldAlerts(acme.database.kysely);
  expect(await acme.rows.query('select subject from alert order by subject')).toEqual([
    { subject: '1' },
    { subject: '2' },
  ]);
  expect(await acme.rows.query('select from outbox')).toHaveLength(4);
});
