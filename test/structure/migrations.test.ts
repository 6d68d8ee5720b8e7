import { readFileSync } from 'node:fs';
import { migrations } from '@visitor-counter/database/migrations/migrations';
import { compareVersions, isVersion } from '@visitor-counter/domain/version';
import { thisRelease } from '@visitor-counter/test/release';
import { expect, test } from 'vitest';
import { previousVersion } from '../faults/releases/previous-release.ts';
import { forbiddenIn, type MigrationText, statementsOf } from './migration-rules.ts';

test('migrations after the first one expand, or are marked as contracting, and lock nothing for long', async () => {
  const words = new Set<string>();
  for (const [index, { name, parts, ...marks }] of migrations.entries()) {
    const found = forbiddenIn({ ...marks, parts: await parts() }, words);
    if (index > 0) expect(found, `${name}: see docs/releases.md`).toEqual([]);
  }
});

test('migrations are in the order of their names, and contract only what the release before no longer uses', () => {
  const names = migrations.map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
  expect(names.filter((name) => !/^\d{8}T\d{4}-[a-z0-9-]+$/.test(name))).toEqual([]);
  const changelog = readFileSync(`${thisRelease.folder}/CHANGELOG.md`, 'utf8');
  const newest = previousVersion(changelog) ?? '0.0.0';
  const early = migrations.filter(
    ({ servesFrom: from }) => from !== undefined && !(isVersion(from) && compareVersions(from, newest) <= 0),
  );
  expect(early, `servesFrom must be ${newest}, the release before, or an older one`).toEqual([]);
});

const present = new Set(['device', 'crossing', 'horizon', 'label']);
const check = (sql: string, marks: Omit<MigrationText, 'parts'> = {}) =>
  forbiddenIn({ parts: [sql], ...marks }, new Set(present));

test.each([
  'alter table device add column note text',
  'alter table device add column if not exists tags text[]',
  "alter table device add column state text not null default 'new; -- it''s' -- why",
  'alter table device add column size numeric(10, 2) null',
  'alter table device add column seen timestamptz not null default now()',
  "alter table device add column settings jsonb default '{}'::jsonb",
  'create table note (id integer primary key, device_id integer references device on delete cascade); create unique index by_device on note (device_id); insert into note values (1); alter table note add constraint one check (id > 0)',
  'create view devices as select * from device',
  'create function horizon_2() returns void language sql as $$ drop table device; $$',
  'create function copy() returns trigger language plpgsql as $f$ begin new.a := new.b; return new; end $f$; create trigger copy before insert on device for each row execute function copy()',
  "comment on table device is 'a door'",
  'create index by_name on device (name)',
])('an expanding migration may contain: %s', (sql) => {
  expect(check(sql)).toEqual([]);
});

const contracts = [
  'drop table device',
  'alter table device drop column name',
  'alter table device rename column name to title',
  'alter table device rename to door',
  'drop function horizon',
  'create or replace function horizon() returns void language sql as $$ select 1 $$',
  'alter table device alter column name drop not null',
  'alter table device add constraint named check (name <> $$$$) not valid',
  'alter table device validate constraint named',
  'create trigger append_only before update on device for each row execute function refuse_change()',
];

test.each(contracts)('a migration that contracts is marked: %s', (sql) => {
  expect(check(sql)).toHaveLength(1);
  expect(check(sql, { servesFrom: '0.1.0' })).toEqual([]);
});

test.each([
  'alter table device add column note text not null',
  'alter table device add column label text',
  'alter table device add column id2 uuid default gen_random_uuid()',
  'alter table device add column note text unique',
  'alter table device add column note text references store',
  'alter table device add column a text, alter column name type varchar(9)',
  'alter table device drop column a, add column b text not null',
  'alter table device alter column name type varchar(9)',
  'alter table device alter column name set not null',
  'alter table device add constraint named check (true)',
  'alter table device add primary key (serial)',
  'create unique index concurrently if not exists by_name on device (name)',
  'create table note (device_id integer references device)',
  'create function horizon(a integer) returns void language sql as $$ select 1 $$',
  'create table if not exists device (id integer)',
  'create table copy as select * from device; update device set name = null',
  'delete from device',
  'insert into device values (1)',
  'truncate device',
  'lock table device',
  'vacuum full device',
  'do $$ begin drop table device; end $$',
  'cluster device using by_name',
])('no migration contains: %s', (sql) => {
  expect(check(sql)).not.toEqual([]);
  expect(check(sql, { servesFrom: '0.1.0' })).not.toEqual([]);
});

test('what an earlier migration has created is present for a later one', () => {
  const words = new Set(present);
  const first = {
    parts: ['create table note (title text); create function f() returns text as $$ select kind $$'],
  };
  expect(forbiddenIn(first, words)).toEqual([]);
  const later = ['insert into note values (1)', 'create table f (id integer)'];
  const columns = ['title', 'kind'].map((name) => `alter table device add column ${name} text`);
  expect(forbiddenIn({ parts: [...later, ...columns] }, words)).toHaveLength(4);
});

test('statements are separated outside of literals, comments and function bodies', () => {
  expect(statementsOf("select ';' ; /* ; */ SELECT 2; do $a$ ; $$ ; $a$ -- ;\n;")).toEqual([
    "select ''",
    'select 2',
    "do ''",
  ]);
});
