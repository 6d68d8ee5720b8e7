import { startProjector } from '@visitor-counter/database/projection/projector';
import { startGatewayProcess } from '@visitor-counter/test/gateway-process';
import { holdLock } from '@visitor-counter/test/held-lock';
import { expect, onTestFinished, test } from 'vitest';
import { failOnce } from '../../test/fail-once.ts';
import { begin, expectRight, minute, storingCompany } from '../../test/storing-company.ts';

function projectorOn(url: string, onProblem: (error: unknown, message?: string) => void = () => {}): void {
  const projector = startProjector({ url, applicationName: 'test projector', onProblem });
  onTestFinished(() => projector.close());
}

/** Stores a crossing, the first one of a journal. */
function storeOne(
  { devices, committers }: Awaited<ReturnType<typeof storingCompany>>,
  journal: string,
  at: number,
) {
  const crossings = [{ sequence: 1, at, direction: 1 as const }];
  return committers[0].store([{ device: devices[0] ?? 0, journal, crossings }]);
}

test('counts each crossing once although its connection ends at any moment and another process takes over', async () => {
  const acme = await storingCompany();
  const { url, rows, devices, committers } = acme;
  projectorOn(url);
  projectorOn(url);
  const ends = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'test projector'`;
  for (let n = 0; n < 60; n += 1) {
    const crossings = Array.from({ length: 20 }, (_, i) => ({
      sequence: n * 20 + i + 1,
      at: begin + (n * 20 + i) * 1_000,
      direction: i % 3 === 2 ? (-1 as const) : (1 as const),
    }));
    await committers[n % 2]?.store([{ device: devices[n % 4] ?? 0, journal: 'j', crossings }]);
    if (n % 6 === 5) await rows.query(ends);
  }
  await expect.poll(() => rows.query('select from mark')).toEqual([]);
  await expect.poll(() => rows.query(lockHolders, ['test projector'])).toHaveLength(1);
  await expectRight(acme, [begin + 5 * minute, begin + 30 * minute]);
});

/** Triggers that are fired by each statement of a round that changes rows, and by its commit. */
const statements = [
  'trigger fail_once after update on crossing for each statement',
  'trigger fail_once after delete on device_move for each statement',
  'trigger fail_once after insert on quarter_state for each statement',
  'trigger fail_once after insert on quarter for each statement',
  'trigger fail_once after insert on day for each statement',
  'trigger fail_once after delete on mark for each statement',
  'constraint trigger fail_once after insert or update on day deferrable initially deferred for each row',
];

test.each(statements)(
  'counts each crossing once although the projector is killed by a %s',
  async (trigger) => {
    const acme = await storingCompany();
    const { url, rows, devices, committers } = acme;
    const store = (journal: string) =>
      committers[0].store([
        {
          device: devices[0] ?? 0,
          journal,
          crossings: [1, 2, 3].map((n) => ({ sequence: n, at: begin + n * minute, direction: 1 as const })),
        },
      ]);
    await store('a');
    await acme.move(0, 1, { since: begin + 2 * minute });
    await rows.query(
      failOnce(trigger).replace("raise sqlstate '40001'", 'perform pg_terminate_backend(pg_backend_pid())'),
    );
    const problems: unknown[] = [];
    projectorOn(url, (error) => problems.push(error));
    await expect.poll(() => problems.length).toBeGreaterThan(0);
    await store('b');

    await expect.poll(() => rows.query('select from mark union all select from device_move')).toEqual([]);
    await expectRight(acme, [begin + 5 * minute]);
  },
);

test('continues with rounds and other moves while the crossings of one device cannot be moved', async () => {
  const acme = await storingCompany();
  const { url, rows, devices, stores, committers } = acme;
  for (const device of [devices[0] ?? 0, devices[3] ?? 0]) {
    const crossings = [{ sequence: 1, at: begin + device, direction: 1 as const }];
    await committers[0].store([{ device, journal: 'j', crossings }]);
  }
  await rows.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'not this one'; end $$;
    create trigger refuse before update on crossing for each row when (new.device_id = ${devices[0]})
      execute function refuse()`);
  await acme.move(0, 1, { since: begin });
  await acme.move(3, 1, { since: begin });
  const problems: unknown[] = [];
  projectorOn(url, (error) => problems.push(String(error)));

  const placed = 'select device_id, store_id from crossing order by device_id';
  const moved = (first: number | undefined) => [
    { device_id: devices[0], store_id: first },
    { device_id: devices[3], store_id: stores[1] },
  ];
  await expect.poll(() => rows.query(placed)).toEqual(moved(stores[0]));
  await expect.poll(() => rows.query('select from mark')).toEqual([]);
  expect(problems).toContainEqual(expect.stringContaining('not this one'));

  await rows.query('drop trigger refuse on crossing');
  await expect.poll(() => rows.query(placed)).toEqual(moved(stores[1]));
  await expectRight(acme, [begin + minute]);
});

test('continues with rounds while audits cannot be computed and old crossings cannot be deleted', async () => {
  const acme = await storingCompany();
  const { url, rows } = acme;
  await storeOne(acme, 'old', begin);
  await rows.query(`
    update company set retention_months = 1;
    alter table accuracy_audit rename to unreadable;
    create function refuse() returns trigger language plpgsql as $$ begin raise 'not this one'; end $$;
    create trigger refuse before delete on crossing for each statement execute function refuse()`);
  const problems: unknown[] = [];
  projectorOn(url, (_error, message) => problems.push(message));

  await expect
    .poll(() => problems)
    .toEqual(
      expect.arrayContaining(['results of audits cannot be computed', 'old crossings cannot be deleted']),
    );
  const now = Date.now();
  await storeOne(acme, 'new', now);
  await expect.poll(() => rows.query('select from mark')).toEqual([]);
  await expectRight(acme, [now]);

  await rows.query('drop trigger refuse on crossing');
  await expect.poll(() => rows.query('select from crossing')).toHaveLength(1);
});

test('counts old crossings before it deletes them, also after it has not run for days', async () => {
  const acme = await storingCompany();
  const { url, rows, devices, stores, committers } = acme;
  /* More than one round reads. */
  await rows.query(
    `insert into mark (store_id, quarter, first) select $1, quarter_of(now()), now() from generate_series(1, 5000)`,
    [stores[1]],
  );
  const crossings = [1, 2, 3].map((n) => ({ sequence: n, at: begin + n * 1_000, direction: 1 as const }));
  await committers[0].store([{ device: devices[0] ?? 0, journal: 'j', crossings }]);
  await rows.query('update company set retention_months = 1');
  projectorOn(url);

  await expect.poll(() => rows.query('select from crossing union all select from mark')).toEqual([]);
  expect(await rows.query('select store_id, entries from quarter')).toEqual([
    { store_id: stores[0], entries: 3 },
  ]);
});

test('continues with rounds while what old crossings belong to is locked', async () => {
  const acme = await storingCompany();
  const { url, rows } = acme;
  await storeOne(acme, 'old', begin);
  await rows.query('update company set retention_months = 1');
  const lock = await holdLock(url, 'select from company for update');
  const problems: unknown[] = [];
  projectorOn(url, (_error, message) => problems.push(message));
  await expect.poll(() => problems).toEqual(['old crossings cannot be deleted']);

  const now = Date.now();
  await storeOne(acme, 'new', now);
  await expect.poll(() => rows.query('select from mark')).toEqual([]);
  await expectRight(acme, [now]);

  await lock.release();
  await expect.poll(() => rows.query('select from crossing')).toHaveLength(1);
});

const lockHolders = `select from pg_stat_activity join pg_locks using (pid)
  where datname = current_database() and application_name = $1 and locktype = 'advisory'`;

test('another process takes over when the one that has the lock hangs', async () => {
  const acme = await storingCompany();
  const { url, rows, devices, committers } = acme;
  const { child } = await startGatewayProcess(url);
  await expect.poll(() => rows.query(lockHolders, ['visitor-counter projector'])).toHaveLength(1);
  const hangsBetweenRounds = async () => {
    child.kill('SIGCONT');
    child.kill('SIGSTOP');
    const states = `select state from pg_stat_activity
      where datname = current_database() and application_name = 'visitor-counter projector'`;
    return await rows.query(states);
  };
  await expect.poll(hangsBetweenRounds).toEqual([{ state: 'idle' }]);
  projectorOn(url);

  const crossings = [{ sequence: 1, at: begin, direction: 1 as const }];
  await committers[0].store([{ device: devices[0] ?? 0, journal: 'j', crossings }]);

  await expect.poll(() => rows.query('select from mark')).toEqual([]);
  await expectRight(acme, [begin + minute]);
});
