import { expect, test } from 'vitest';
import { berlinStore } from '../../../test/berlin-store.ts';

const gateway = '00000000-0000-4000-8000-000000000001';

test('shows devices offline since their gateway was last seen, and online when it is active again', async () => {
  const { ask, seed } = await berlinStore();
  await seed.query(
    `update device_state set online = true, online_changed_at = '2026-11-20T09:00:00Z', gateway_id = $1`,
    [gateway],
  );
  const seen = (ago: string) =>
    seed.query(
      `insert into gateway as known values ($1, '2026-11-20T10:00:00Z', now() - $2::interval)
       on conflict (id) do update set believed_until = excluded.believed_until`,
      [gateway, ago],
    );
  const connection = async () => {
    const [{ online, onlineChangedAt }] = Object((await ask('/v1/devices')).body).items;
    return { online, onlineChangedAt };
  };

  await seen('1 s');
  expect(await connection()).toEqual({ online: false, onlineChangedAt: '2026-11-20T11:00:00.000+01:00' });
  await seen('-10 s');
  expect(await connection()).toEqual({ online: true, onlineChangedAt: '2026-11-20T10:00:00.000+01:00' });
  await seed.query('delete from gateway');
  expect(await connection()).toMatchObject({ online: false });
});

test.each([
  [{ problem: 'gpiomon is not installed', restarts: 3 }, [{ kind: 'beams-unreadable' }]],
  [
    { restarts: 0 },
    [
      { kind: 'beam-blocked', beam: 'a' },
      { kind: 'beam-blocked', beam: 'b' },
    ],
  ],
  [
    'x',
    [
      { kind: 'beam-blocked', beam: 'a' },
      { kind: 'beam-blocked', beam: 'b' },
    ],
  ],
])('distinguishes blocked beams from beams that the unit cannot read: %j', async (lines, expected) => {
  const { ask, seed } = await berlinStore();
  const at = Date.parse('2026-11-20T10:19:00Z');
  const beams = ['a', 'b'].map((name) => ({ name, state: 'blocked', since: at, breaks: 0 }));
  const heartbeat = { at, recorded: 0, acknowledged: 0, clock: 'synced', beams, lines };
  await seed.query('update device_state set heartbeat = $1', [JSON.stringify(heartbeat)]);
  await seed.query(`update device_state set heartbeat_at = '2026-11-20T10:19:00Z', online = true`);

  const [{ obstacles }] = Object((await ask('/v1/devices')).body).items;

  const common = { device: 'CU-0001', since: '2026-11-20T11:19:00.000+01:00' };
  const ofBeams = obstacles.filter(({ kind }: { kind: string }) => kind.startsWith('beam'));
  expect(ofBeams).toEqual(expected.map((obstacle) => ({ ...common, ...obstacle })));
});

test('shows a device that is suspected of counting the wrong way round', async () => {
  const { ask, seed } = await berlinStore();
  await seed.query(
    `update device set direction_doubtful_since = '2026-11-20T10:00:00Z' where serial = 'CU-0001'`,
  );

  const { obstacles } = Object((await ask('/v1/occupancy')).body).items[0];
  const since = '2026-11-20T11:00:00.000+01:00';
  expect(obstacles).toContainEqual({ kind: 'direction-doubtful', device: 'CU-0001', since });
});

test('counts down pending crossings as they are stored, without another heartbeat', async () => {
  const { ask, seed, deviceId, storeId } = await berlinStore();
  const journalId = await seed.journal(deviceId, 'first start');
  const report = { at: Date.parse('2026-11-20T10:19:00Z'), journal: 'first start', recorded: 9_833 };
  const heartbeat = { ...report, acknowledged: 0, clock: 'synced', beams: [], lost: [] };
  await seed.query(`update device_state set heartbeat = $1, heartbeat_at = '2026-11-20T10:19:00Z'`, [
    JSON.stringify(heartbeat),
  ]);
  const store = (first: number, last: number) =>
    seed.query(
      `insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
       select $1, $2, $3, n, '2026-11-19T10:00:00Z', 1 from generate_series($4::int, $5::int) as n`,
      [journalId, deviceId, storeId, first, last],
    );
  const pending = async () => Object((await ask('/v1/devices')).body).items[0].pending;

  expect(await pending()).toBe(9_833);
  await store(1, 9_000);
  expect(await pending()).toBe(833);
  await store(9_002, 9_833);
  expect(await pending()).toBe(1);
  await store(9_001, 9_001);
  expect(await pending()).toBe(0);
  const [{ completeUntil, obstacles }] = Object((await ask('/v1/occupancy')).body).items;
  expect(completeUntil).toBe('2026-11-20T11:19:00.000+01:00');
  expect(obstacles).not.toContainEqual(expect.objectContaining({ kind: 'pending' }));
});

test.each([-11, 11])(
  'shows a clock that differs by %i minutes from the server, whatever the unit says',
  async (minutes) => {
    const { ask, seed } = await berlinStore();
    const arrived = Date.parse('2026-11-20T10:19:00Z');
    const report = async (at: number) => {
      await seed.query(`update device_state set heartbeat = $1, heartbeat_at = '2026-11-20T10:19:00Z'`, [
        JSON.stringify({ at, clock: 'synced', recorded: 0, acknowledged: 0 }),
      ]);
      return Object((await ask('/v1/devices')).body).items[0].obstacles;
    };
    const obstacle = { kind: 'clock-unsynced', device: 'CU-0001' };
    expect(await report(arrived)).not.toContainEqual(obstacle);
    expect(await report(arrived + minutes * 60_000)).toContainEqual(obstacle);
  },
);

test('shows a beam that flickers, and since when if an alert watches it', async () => {
  const { ask, seed } = await berlinStore();
  await seed.query(`update device_state set heartbeat = $1, heartbeat_at = '2026-11-20T10:19:00Z'`, [
    JSON.stringify({ at: Date.parse('2026-11-20T10:19:00Z'), lines: { flickering: 'door' } }),
  ]);
  const flickering = async () =>
    Object((await ask('/v1/occupancy')).body).items[0].obstacles.filter(
      ({ kind }: { kind: string }) => kind === 'beam-flickering',
    );
  const obstacle = { kind: 'beam-flickering', device: 'CU-0001' };
  expect(await flickering()).toContainEqual(obstacle);
  await seed.query('update device set troubles = $1', [{ flickering: Date.parse('2026-11-20T10:00:00Z') }]);
  expect(await flickering()).toContainEqual({ ...obstacle, since: '2026-11-20T11:00:00.000+01:00' });
});

test('reports everything from the first conflicting crossing on as incomplete, while its message is rejected', async () => {
  const { ask, seed, journalId, deviceId } = await berlinStore();
  const delivered = Date.parse('2026-11-20T10:19:00Z');
  await seed.query('update device_state set heartbeat = $1, heartbeat_at = $2, online = true', [
    JSON.stringify({ at: delivered, journal: 'journal-a', recorded: 7, acknowledged: 7, clock: 'synced' }),
    new Date(delivered),
  ]);
  await seed.query(
    `update journal set conflict_at = now(), conflicts_from = '2026-11-20T08:10:00Z' where id = $1`,
    [journalId],
  );
  const state = async () => {
    const [{ completeUntil, obstacles }] = Object((await ask('/v1/occupancy')).body).items;
    return {
      completeUntil,
      conflicts: obstacles.filter(({ kind }: { kind: string }) => kind === 'conflict'),
    };
  };
  expect(await state()).toEqual({ completeUntil: '2026-11-20T11:19:00.000+01:00', conflicts: [] });
  await seed.query(
    `insert into rejected_message (device_id, topic, reason, payload, digest)
     values ($1, 't', 'conflict: another', '', 'x')`,
    [deviceId],
  );
  const since = '2026-11-20T09:10:00.000+01:00';
  expect(await state()).toEqual({
    completeUntil: since,
    conflicts: [{ kind: 'conflict', device: 'CU-0001', count: 1, since }],
  });
});
