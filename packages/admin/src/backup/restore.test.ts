import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readIngestLife } from '@visitor-counter/database/alerts/ingest-life';
import { lockKeys } from '@visitor-counter/database/sql/advisory-locks';
import { connect } from '@visitor-counter/database/sql/connect';
import { withClient } from '@visitor-counter/database/sql/create-database';
import { freeServerPorts } from '@visitor-counter/test/free-ports';
import { projected } from '@visitor-counter/test/projected';
import { seed } from '@visitor-counter/test/seed';
import { startService } from '@visitor-counter/test/service-process';
import { databaseWithoutTables } from '@visitor-counter/test/test-database';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, inject, onTestFinished, test } from 'vitest';
import { backedUpCompany } from '../../test/backed-up-company.ts';
import { rewriteArchive } from '../../test/rewrite-archive.ts';
import { adminOn } from '../../test/run-admin.ts';

async function administer(statement: string): Promise<void> {
  await withClient(inject('databaseServer'), async (client) => void (await client.query(statement)));
}

/** The content that must be the same after a restore, by table. */
async function contentOf(url: string): Promise<Record<string, unknown>> {
  return await withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = current_schema() and tablename not like 'kysely%'`,
    );
    const content: Record<string, unknown> = {};
    for (const { name } of rows) {
      const all = await client.query(`select to_jsonb(t) as row from ${name} t order by to_jsonb(t)::text`);
      content[name] = all.rows.map(({ row }) => row);
    }
    return content;
  });
}

/** Constraints, indexes, triggers and identity columns: what a restore removes for a while. */
async function structureOf(url: string): Promise<unknown[]> {
  return await withClient(url, async (client) => {
    const { rows } = await client.query(
      `select conname as name, pg_get_constraintdef(oid) as is from pg_constraint where connamespace = 'public'::regnamespace
       union all select indexname, indexdef from pg_indexes where schemaname = 'public'
       union all select tgname, tgenabled::text || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
       order by 1, 2`,
    );
    return rows;
  });
}

test('restores every table into an empty database, with the same keys, indexes and triggers', async () => {
  const { url, file, rows } = await backedUpCompany();
  /* The owner may create no database, and is no administrator. */
  const owner = 'test_restore_owner';
  await administer(`create role ${owner} login password 'own'`);
  onTestFinished(() => administer(`drop role ${owner}`));
  const empty = await databaseWithoutTables(`owner ${owner}`);
  const owned = new URL(empty);
  [owned.username, owned.password] = [owner, 'own'];
  const run = adminOn(owned.href);

  const { code, out, err } = await run(['restore', file]);

  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/: 300 crossings and 21 quarter hours of occupancy in [\d.]+ s/);
  await projected(url);
  const [before, after] = [await contentOf(url), await contentOf(empty)];
  const derived = {
    history: [],
    installation: [],
    change: [],
    store_day: [],
    audit_entry: [],
    backup: [],
    ingest_life: [],
  };
  expect({ ...after, ...derived }).toEqual({ ...before, ...derived });
  expect(await structureOf(empty)).toEqual(await structureOf(url));
  const schemas = await seed(empty).query(
    `select nspname as name from pg_namespace where nspname ~ 'restore|public'`,
  );
  expect(schemas).toEqual([{ name: 'public' }]);
  expect(after['audit_entry']).toEqual([
    expect.objectContaining({ action: 'restored', subject_kind: 'database', author_kind: 'operator' }),
  ]);
  const next = (database: typeof rows) => database.company('Next');
  expect(await next(seed(empty))).toBe(await next(rows));
});

test('replaces the data of a database, and keeps the previous data in another schema until the next restore', async () => {
  const { run, rows, file, cross } = await backedUpCompany();
  await cross(301, 400);
  const count = async (table = 'crossing') =>
    (await rows.query(`select count(*)::integer as count from ${table}`))[0]?.['count'];

  const first = JSON.parse((await run(['restore', file, '--json'])).out);

  expect(first).toMatchObject({
    restartGateways: false,
    leftOut: [],
    tables: { crossing: 300 },
  });
  expect(await count()).toBe(300);
  expect(await count(`${first.previous}.crossing`)).toBe(400);
  await cross(301, 302);
  /* A restore that was killed has not removed its schema. */
  await rows.query('create schema visitor_counter_restore');
  const { out } = await run(['restore', file]);
  expect(out).toContain('the previous data is in the schema before_restore_');
  const aside = await rows.query(`select nspname from pg_namespace where nspname like 'before%'`);
  expect(aside).toHaveLength(1);
});

test('reports no outage of the service since the backup, and begins the time of alert rules again', async () => {
  const { url, run, rows, folder } = await backedUpCompany();
  await rows.query(
    `update ingest_life set since = now() - interval '2 hours', seen_at = now() - interval '1 hour'`,
  );
  const { file } = JSON.parse((await run(['backup', '--to', folder, '--json'])).out);
  const begin = Date.now();

  await run(['restore', file]);

  const db = connect(url, { applicationName: 'test' });
  onTestFinished(() => db.close());
  const { alive, since } = await readIngestLife(db.kysely);
  expect({ alive, hasBegunAgain: since > begin - 1_000 }).toEqual({ alive: true, hasBegunAgain: true });
});

test('leaves out a table that is not part of the product, and restores the tables after it', async () => {
  const { run, rows, folder } = await backedUpCompany();
  await rows.query(
    `create table another_table (n integer generated by default as identity);
     insert into another_table select generate_series(1, 50000)`,
  );
  const { file } = JSON.parse((await run(['backup', '--to', folder, '--json'])).out);

  const { code, out } = await run(['restore', file, '--json']);

  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ leftOut: ['another_table'], tables: { crossing: 300 } });
  expect(await rows.query(`select to_regclass('another_table') as found`)).toEqual([{ found: null }]);
});

test('replaces the tables only when no transaction uses them', async () => {
  const { url, run, rows, file } = await backedUpCompany();
  await withClient(url, async (client) => {
    await client.query('begin');
    await client.query('update device set name = name');
    const restoring = run(['restore', file]);
    await expect
      .poll(
        () =>
          rows.query(`select from pg_locks where mode = 'AccessExclusiveLock' and not granted
            and database = (select oid from pg_database where datname = current_database())`),
        { timeout: 90_000 },
      )
      .not.toEqual([]);
    const before = `select from pg_namespace where starts_with(nspname, 'before_restore_')`;
    expect(await rows.query(before)).toEqual([]);
    await client.query('commit');
    expect((await restoring).code).toBe(0);
    expect(await rows.query(before)).toHaveLength(1);
  });
});

test('keeps the record of reports that were mailed after the backup', async () => {
  const { run, rows, folder, companyId } = await backedUpCompany(1);
  const report = (name: string) =>
    rows.query(
      `insert into mail_report (company_id, name, period, recipients, language)
       values ($1, $2, 'daily', '{ann@acme.example}', 'en')`,
      [companyId, name],
    );
  const mail = (name: string, date: string) =>
    rows.query(
      `insert into report_mail (mail_report_id, first_date, last_date, counted_until, remaining)
       select id, $2::date, $2::date, $2::date + 1, recipients from mail_report where name = $1`,
      [name, date],
    );
  await report('Daily');
  await mail('Daily', '2026-11-18');
  const { file } = JSON.parse((await run(['backup', '--to', folder, '--json'])).out);
  await rows.query(`update report_mail set delivered_at = now(), remaining = '{}'`);
  await mail('Daily', '2026-11-19');
  await report('New');
  await mail('New', '2026-11-19');

  const mails = async () => {
    expect((await run(['restore', file])).err).toBe('');
    return rows.query(
      `select name, first_date::text as date, delivered_at is not null as sent
       from report_mail join mail_report on mail_report.id = mail_report_id order by 2`,
    );
  };
  expect(await mails()).toEqual([
    { name: 'Daily', date: '2026-11-18', sent: true },
    { name: 'Daily', date: '2026-11-19', sent: false },
  ]);

  const inBackup = [{ name: 'Daily', date: '2026-11-18', sent: false }];
  await rows.query(`update mail_report set name = 'Renamed'`);
  expect(await mails()).toEqual(inBackup);
  await rows.query(
    `update installation set id = gen_random_uuid();
     update report_mail set delivered_at = now(), remaining = '{}'`,
  );
  expect(await mails()).toEqual(inBackup);
});

test('names the credentials and units that can log in again, and those that no longer can', async () => {
  const { run, rows, url, folder, companyId, storeId } = await backedUpCompany(1);
  const issue = (value: string) => rows.credential({ companyId, kind: 'counts', value });
  await issue('till');
  await issue('kept');
  await rows.device({ companyId, storeId, serial: 'CU-2' });
  await rows.device({ companyId, storeId, serial: 'CU-3' });
  const { file } = JSON.parse((await run(['backup', '--to', folder, '--json'])).out);
  await rows.query(`update credential set revoked_at = now() where label = 'till'`);
  await issue('later');
  await run(['device', 'rotate', 'CU-1', '--secret', 'a secret of a new unit']);
  await run(['device', 'revoke', 'CU-2']);
  await rows.device({ companyId, storeId, serial: 'CU-9' });

  const { out } = await run(['restore', file]);
  expect(out).toMatch(/credentials that work again .*: counts "till" of Größe & Söhne/);
  expect(out).toMatch(/credentials that are refused now .*: counts "later" of/);
  expect(out).toMatch(/units whose earlier secret works again .*: CU-1, CU-2$/m);
  expect(out).toMatch(/units that cannot log in now .*: CU-1, CU-9$/m);

  const env = { DATABASE_URL: url, ...(await freeServerPorts()) };
  const server = await startService('serve', [], env);
  onTestFinished(async () => void (await server.stop()));
  const port = Number(server.ready['mqttPort']);
  for (const [serial, secret] of [
    ['CU-1', 'a secret of a new unit'],
    ['CU-9', 'secret of CU-9'],
  ] as const)
    await expect(connectUnit({ port, serial, secret })).rejects.toMatchObject({ code: 5 });
  const doctor = async () => {
    const { findings } = JSON.parse((await adminOn(url, env)(['doctor', '--json'])).out);
    return findings.find(({ check }: { check: string }) => check === 'logins');
  };
  expect(await doctor()).toMatchObject({
    status: 'warning',
    finding: expect.stringMatching(/CU-1 \(wrong secret\), CU-9 \(unknown serial\)/),
    advice: expect.stringContaining('device rotate SERIAL --secret'),
  });
  await run(['device', 'rotate', 'CU-1', '--secret', 'a secret of a new unit']);
  await connectUnit({ port, serial: 'CU-1', secret: 'a secret of a new unit' });
  expect(await doctor()).toMatchObject({ finding: expect.not.stringContaining('CU-1') });
});

test('restores although the previous tables cannot be read, and says why reports are mailed again', async () => {
  const { run, rows, file } = await backedUpCompany(1);
  await rows.query('alter table report_mail drop column seen_at');
  const { out, err } = await run(['restore', file]);
  expect(err).toBe('');
  expect(out).toContain(
    'reports since the backup are mailed again, since the previous tables cannot be read: column "seen_at" does not exist',
  );
  await rows.query('alter table credential drop column expires_at');
  expect((await run(['restore', file])).out).toContain('The data from before cannot be compared');
});

test('roles have the same rights on the restored tables', async () => {
  const { run, rows, file } = await backedUpCompany();
  await rows.query(`
    create role test_restore_reader; grant usage on schema public to test_restore_reader;
    grant select on crossing, correction_in_force, kysely_migration to test_restore_reader;
    grant select (serial, name) on device to test_restore_reader;
    revoke execute on function begin_history(boolean) from public;
    alter default privileges in schema public grant select on tables to test_restore_reader`);
  onTestFinished(() => administer('drop role test_restore_reader'));
  onTestFinished(async () => void (await rows.query('drop owned by test_restore_reader')));
  const rights = () =>
    rows.query(`
      select relname as name, relacl::text as acl from pg_class where relnamespace = 'public'::regnamespace and relacl is not null
      union all select attname, attacl::text from pg_attribute join pg_class on pg_class.oid = attrelid
        where relnamespace = 'public'::regnamespace and attacl is not null
      union all select proname, proacl::text from pg_proc where pronamespace = 'public'::regnamespace and proacl is not null
      union all select 'default', defaclacl::text from pg_default_acl where defaclnamespace = 'public'::regnamespace
      order by 1, 2`);
  const before = await rights();
  expect(before).toHaveLength(7);

  const { code, err } = await run(['restore', file]);

  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(await rights()).toEqual(before);
});

test('a damaged file is refused, and changes nothing', async () => {
  const { url, run, folder, file } = await backedUpCompany();
  const before = await contentOf(url);
  const bytes = await readFile(file);
  const damaged = join(folder, 'damaged.tar');
  for (let at = 100; at < bytes.length; at += Math.ceil(bytes.length / 60)) {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ 0x20;
    await writeFile(damaged, copy);
    const { code, err } = await run(['restore', damaged]);
    expect({ at, code, err }).toEqual({ at, code: 1, err: expect.stringMatching(/damaged/) });
    expect(err).toMatch(/Nothing was changed\.$/);
  }
  await writeFile(damaged, bytes);
  await truncate(damaged, Math.floor(bytes.length / 2));
  expect((await run(['restore', damaged])).err).toMatch(/is not a backup, or is damaged/);
  expect(await contentOf(url)).toEqual(before);
});

test('refuses a missing file, another file, a later release, other columns and wrong rows', async () => {
  const { url, run, folder, file } = await backedUpCompany();
  const before = await contentOf(url);
  const changed = join(folder, 'changed.tar');
  const refused = async (rewrite: Parameters<typeof rewriteArchive>[2]) => {
    await rewriteArchive(file, changed, rewrite);
    const { code, err } = await run(['restore', changed]);
    expect(code).toBe(1);
    return err;
  };
  await writeFile(join(folder, 'notes.txt'), 'notes\n'.repeat(500));

  expect((await run(['restore', join(folder, 'missing.tar')])).err).toMatch(
    /missing\.tar cannot be read: ENOENT/,
  );
  expect((await run(['restore', join(folder, 'notes.txt')])).err).toMatch(/is not a backup/);
  expect(
    await refused({ manifest: (m) => ({ ...m, migrations: [...m.migrations, '29991231T2359-later'] }) }),
  ).toMatch(/last migration 29991231T2359-later/);
  expect(await refused({ manifest: (m) => ({ ...m, migrations: ['20250101T0000-before'] }) })).toMatch(
    /does not know/,
  );
  expect(
    await refused({
      manifest: (m) => ({
        ...m,
        tables: m.tables.map((table) => ({ ...table, columns: [...table.columns, 'colour'] })),
      }),
    }),
  ).toMatch(/does not fit the schema of this release: table .* expected the columns/);
  expect(
    await refused({ manifest: (m) => ({ ...m, tables: m.tables.map((t) => ({ ...t, rows: t.rows + 1 })) }) }),
  ).toMatch(/rows, expected/);
  expect(await contentOf(url)).toEqual(before);
});

test('a restore that fails while rows are written or checked leaves the serving data, and can be repeated', async () => {
  const { url, run, rows, folder, file } = await backedUpCompany();
  const before = await contentOf(url);
  const changed = join(folder, 'changed.tar');
  /* A crossing of a device that is not in the backup, and a value that no column accepts. */
  const journal = (_: string, text: string) => text;
  for (const rows of [
    (table: string, text: string) =>
      table === 'journal' ? text.replace(/\t1\t/, '\t4711\t') : journal(table, text),
    (table: string, text: string) => (table === 'crossing' ? text.replace('2026-', '2026-99-') : text),
  ]) {
    await rewriteArchive(file, changed, { rows });
    const { code, err } = await run(['restore', changed]);
    expect(code).toBe(1);
    expect(err).toMatch(/foreign key|timestamp/);
  }
  expect(await contentOf(url)).toEqual(before);
  expect(await rows.query(`select from pg_namespace where nspname ~ 'restore'`)).toEqual([]);
  expect((await run(['restore', file])).code).toBe(0);
});

test('derives occupancy from the crossings, whatever the backup has', async () => {
  const { url, run, rows, folder, file } = await backedUpCompany();
  await projected(url);
  const before = await rows.query('select * from occupancy_quarter order by 1, 2');
  const wrong = join(folder, 'wrong.tar');
  await rewriteArchive(file, wrong, {
    rows: (table, text) =>
      table === 'occupancy_quarter' ? text.replace(/^(\d+\t\d+\t)(-?\d+)/m, (_, key) => `${key}99`) : text,
  });

  expect((await run(['restore', wrong])).code).toBe(0);

  expect(await rows.query('select * from occupancy_quarter order by 1, 2')).toEqual(before);
});

test('refuses a restore while another one is running', async () => {
  const { url, run, file } = await backedUpCompany(1);
  await withClient(url, async (client) => {
    await client.query(`select pg_advisory_lock(${lockKeys.restore})`);
    expect((await run(['restore', file])).err).toMatch(/another restore is running/);
  });
});

test('refuses a user that does not own the tables', async () => {
  const { url, file } = await backedUpCompany();
  await administer(`create role test_restore_other login password 'other'`);
  onTestFinished(() => administer('drop role test_restore_other'));
  const other = new URL(url);
  [other.username, other.password] = ['test_restore_other', 'other'];

  const { code, err } = await adminOn(other.href)(['restore', file]);

  expect(code).toBe(1);
  expect(err).toMatch(
    /the user of the database is "test_restore_other".*expected the owner.*Set DATABASE_MIGRATE_URL/,
  );
});
