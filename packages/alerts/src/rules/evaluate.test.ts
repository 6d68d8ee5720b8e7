import type { RuleKind } from '@visitor-counter/database/alerts/alert-kinds';
import { removeOldAlerts } from '@visitor-counter/database/alerts/open-alerts';
import { recordExceededRate } from '@visitor-counter/database/devices/device-states';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { oneCompany } from '../../test/company.ts';
import { evaluate, judge } from './evaluate.ts';

test('raises an alert once, clears it once, and raises another one for another incident', async () => {
  const acme = await oneCompany();
  await acme.rule('device-inactive', 600);
  await acme.lastSeen(595);
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
  const back = async (secondsAgo: number) => {
    await acme.rows.query(
      `update gateway set storing_since = now() - make_interval(secs => $1), storing_at = now()`,
      [secondsAgo],
    );
    await evaluate(acme.database.kysely);
  };

  await evaluate(acme.database.kysely);
  expect(await acme.alerts()).toMatchObject([{ kind: 'service-unavailable', open: true }]);
  await back(595);
  expect(await acme.alerts()).toMatchObject([{ kind: 'service-unavailable', open: false }]);
  await back(601);
  expect(await acme.alerts()).toMatchObject([{}, { kind: 'device-inactive', open: true }]);
});

test('leaves the alert for a silent device open during an outage of the gateways', async () => {
  const acme = await oneCompany();
  await acme.rule('device-inactive', 600);
  await acme.lastSeen(601);
  await evaluate(acme.database.kysely);
  for (const change of [
    `storing_at = now() - interval '1 hour'`,
    'storing_since = now(), storing_at = now()',
  ]) {
    await acme.rows.query(`update gateway set ${change}`);
    expect(await evaluate(acme.database.kysely)).toMatchObject({ open: 1 });
  }
  await acme.lastSeen(0);
  expect(await evaluate(acme.database.kysely)).toMatchObject({ cleared: 1 });
});

test('reports a store as full from its capacity until several places are free', async () => {
  const acme = await oneCompany();
  const { rows, storeId, deviceId } = acme;
  await acme.rule('capacity-reached', 0);
  const at = Date.now() - 5_000;
  const journalId = await rows.journal(deviceId, 'j');
  await rows.crossings([{ storeId, deviceId, journalId, sequence: 1, at, direction: 1 }]);
  for (const [capacity, people, isFull] of [
    [100, 99, false],
    [100, 100, true],
    [100, 95, true],
    [100, 94, false],
    [100, 95, false],
    [100, 101, true],
    [1, 1, true],
    [1, 0, false],
    [10, 10, true],
    [10, 9, true],
    [10, 8, false],
    [5, 5, true],
    [5, 4, true],
    [5, 3, false],
  ] as const) {
    await rows.query('update store set capacity = $1', [capacity]);
    await rows.query('update day set occupancy = $1', [people]);
    const { open } = await evaluate(acme.database.kysely);
    expect({ capacity, people, open }).toEqual({ capacity, people, open: isFull ? 1 : 0 });
  }
  expect(await rows.query('select distinct began_at from alert')).toEqual([{ began_at: at }]);
});

type Acme = Awaited<ReturnType<typeof oneCompany>>;

interface Cause {
  readonly kind: RuleKind;
  readonly after?: number;
  /** What is similar, and not yet a reason for an alert. */
  readonly before?: (acme: Acme) => Promise<unknown>;
  readonly begin: (acme: Acme) => Promise<unknown>;
  readonly end: (acme: Acme) => Promise<unknown>;
}

/** A heartbeat of now that says that 9 crossings were recorded. */
const report = ({ heartbeat }: Acme, more: object = {}, secondsAgo = 0) =>
  heartbeat(
    { at: Date.now() - secondsAgo * 1_000, journal: 'j', recorded: 9, acknowledged: 9, ...more },
    secondsAgo,
  );

const sets = (change: string) => (acme: Acme) => acme.rows.query(`update ${change}`);

/** Changes the journal of the device. */
const journal = (change: string) => async (acme: Acme) => {
  await acme.rows.journal(acme.deviceId, 'j');
  await acme.rows.query(`update journal set ${change}`);
};

const causes: Readonly<Record<string, Cause>> = {
  'the unit of a store has pending crossings': {
    kind: 'data-overdue',
    after: 600,
    before: async (acme) => {
      const { rows, storeId, deviceId } = acme;
      const of = { storeId, deviceId, journalId: await rows.journal(deviceId, 'j') };
      await rows.crossings([{ ...of, sequence: 4, at: Date.now() - 700_000, direction: 1 }]);
      await report(acme, {}, 60);
    },
    begin: (acme) => report(acme, { acknowledged: 4 }),
    end: report,
  },
  'a device sends more than its rate allows, and some time after': {
    kind: 'limits-exceeded',
    before: report,
    begin: ({ database, deviceId }) => recordExceededRate(database.kysely, deviceId),
    end: sets(`device_state set rate_exceeded_at = now() - interval '16 minutes'`),
  },
  'crossings are missing': {
    kind: 'crossings-missing',
    begin: journal(`missing = '{[13,20]}', missing_since = now()`),
    end: journal(`missing = '{}', missing_since = null`),
  },
  'crossings were lost, and a day after': {
    kind: 'crossings-lost',
    begin: journal(`lost = '{[6,8]}', lost_at = now(), lost_lately = 3`),
    end: journal(`lost_at = now() - interval '25 hours'`),
  },
  'two units are copies of each other, and a day after': {
    kind: 'cloned-unit',
    begin: journal('conflict_since = now(), conflict_at = now()'),
    end: journal(`conflict_at = now() - interval '25 hours'`),
  },
  'a device is suspected of counting the wrong way round': {
    kind: 'direction-doubtful',
    begin: sets('device set direction_doubtful_since = now()'),
    end: sets('device set direction_doubtful_since = null'),
  },
  'a unit cannot store crossings': {
    kind: 'storage-failing',
    begin: (acme) => report(acme, { storage: 'failed', held: 3 }),
    end: report,
  },
};

test.each(Object.entries(causes))('has one alert open while %s', async (_, { kind, after = 0, ...cause }) => {
  const acme = await oneCompany();
  const evaluated = () => evaluate(acme.database.kysely, new Map([['direction-doubtful', []]]));
  await acme.rule(kind, after);
  await cause.before?.(acme);
  await evaluated();
  expect(await acme.alerts()).toEqual([]);
  await cause.begin(acme);
  await evaluated();
  await evaluated();
  expect(await acme.alerts()).toMatchObject([{ kind, open: true }]);
  await cause.end(acme);
  await evaluated();
  expect(await acme.alerts()).toMatchObject([{ kind, open: false }]);
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

test('raises and clears alerts so that exactly the true conditions are open, each incident once', () => {
  const condition = fc.record({
    companyId: fc.nat(2),
    kind: fc.constantFrom<RuleKind>('device-inactive', 'beam-blocked'),
    subject: fc.constantFrom('1', '2'),
  });
  const key = ({ companyId, kind, subject }: { companyId: number; kind: string; subject: string }) =>
    `${companyId}/${kind}/${subject}`;
  const some = fc.uniqueArray(condition, { selector: key });
  fc.assert(
    fc.property(some, some, (before, holding) => {
      const known = before.map((one, n) => ({ ...one, id: `${n}`, deviceId: null }));
      const { raise, clear } = judge(
        known,
        holding.map((one) => ({ ...one, about: {}, beganAt: 0 })),
      );
      const left = known.filter(({ id }) => !clear.includes(id));
      expect([...left, ...raise].map(key).toSorted()).toEqual(holding.map(key).toSorted());
    }),
  );
});
