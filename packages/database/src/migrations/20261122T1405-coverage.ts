import { type Kysely, sql } from 'kysely';

/**
 * Which sequences of each journal are accounted for: stored, or known not to be counted. What a unit has had
 * acknowledged and is neither is missing, for example after a backup was restored.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  /* Sequences that are accounted for without a stored crossing. A rejected one stays here when it is discarded. */
  `create table journal_uncounted (
     journal_id integer not null references journal on delete cascade,
     first bigint not null check (first > 0),
     last bigint not null check (last >= first),
     reason text not null check (reason in ('rejected', 'lost')),
     since timestamptz not null default now(),
     primary key (journal_id, first, last)
   )`,

  /* Sequences that a unit has had acknowledged and that are not accounted for. Ranges of a journal do not overlap. */
  `create table journal_missing (
     journal_id integer not null references journal on delete cascade,
     device_id integer not null references device on delete cascade,
     first bigint not null check (first > 0),
     last bigint not null check (last >= first),
     since timestamptz not null default now(),
     primary key (journal_id, first)
   )`,
  'create index journal_missing_by_device on journal_missing (device_id)',
  `create index journal_uncounted_lost on journal_uncounted (journal_id) where reason = 'lost'`,

  /* Up to `checked` every sequence is accounted for or in journal_missing; `through` is the part before the first
     of those. Both were claims of units where another broker is used: they are found again from what is stored. */
  'delete from journal_progress',
  'alter table journal_progress add column checked bigint not null check (checked >= through)',

  /* The latest automatic request for missing crossings of a device. */
  `create table device_recovery (
     device_id integer primary key references device on delete cascade,
     command_id bigint,
     missing bigint not null,
     attempts integer not null default 0,
     next_at timestamptz not null default now()
   )`,

  /* Journals that more than one unit writes, or one that has gone back to an older state of its card. */
  `create table cloned_journal (
     journal_id integer primary key references journal on delete cascade,
     device_id integer not null references device on delete cascade,
     suspected_at timestamptz not null default now(),
     suspected_by double precision,
     confirmed_at timestamptz,
     seen_at timestamptz not null default now(),
     conflicts_from timestamptz,
     command_id bigint,
     ordered_at timestamptz
   )`,
  'create index cloned_journal_by_device on cloned_journal (device_id)',
  `create index rejected_message_conflicts on rejected_message (device_id) where starts_with(reason, 'conflict')`,

  /* What was kept as rejected until now. It is read as text: JSON with some escapes has no fields for PostgreSQL. */
  `create temporary table kept_entry on commit drop as
   select device_id, substring(content from '^{"journal":"([^"\\\\]+)"') as name,
     substring(entry::text from '^\\[([0-9]{1,16}),')::bigint as sequence
   from (
     select device_id, convert_from(payload, 'UTF8') as content from rejected_message
     where topic like '%/crossings' and not starts_with(reason, 'malformed') and not starts_with(reason, 'conflict')
   ) kept cross join lateral json_array_elements(content::json->'entries') entry`,
  `insert into journal (device_id, name)
   select distinct device_id, name from kept_entry where name is not null and sequence > 0
   on conflict do nothing`,
  `insert into journal_uncounted (journal_id, first, last, reason)
   select id, min(sequence), max(sequence), 'rejected'
   from (
     select distinct id, sequence, sequence - dense_rank() over (partition by id order by sequence) as island
     from kept_entry join journal using (device_id, name) where sequence > 0
   ) numbered
   group by id, island`,

  /* The other journals are compared when their units next report. */
  `insert into journal_progress (journal_id, through, checked)
   select journal_id, max(sequence), max(sequence) from crossing join journal on journal.id = journal_id
   group by journal_id having count(*) = max(sequence)`,
];
