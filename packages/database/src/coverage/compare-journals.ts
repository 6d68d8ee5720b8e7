import { journalIdPattern } from '@visitor-counter/wire/crossings-message';
import { mostJournals } from '../crossings/journal-ids.ts';
import { lockKeys, tryLock } from '../sql/advisory-locks.ts';
import { type Db, runStatement } from '../sql/query-builder.ts';

/** A journal of which a comparison has found something new. */
interface ChangedJournal {
  readonly serial: string;
  readonly journal: string;
  /** How many sequences are missing now, and how many were before. */
  readonly missing: number;
  readonly before: number;
  /** How many sequences were found to be lost. */
  readonly lost: number;
}

interface Comparison {
  /** The last device that was compared; 0 after the last one of all. */
  readonly last: number;
  readonly changed: readonly ChangedJournal[];
}

interface Added {
  /** How many journals were added. */
  readonly added: number;
}

/**
 * Compares the journals of the devices that follow the device `after`, at most `most`, with what is stored, and updates their
 * rows: sequences that were acknowledged to the unit and are neither stored nor rejected nor declared lost are missing, and so
 * are earlier ones until they are stored. So are those that the unit had recorded if its journal is shorter now, or if it
 * writes another one. Journals that are not in the database are added, if something of them was recorded, acknowledged or lost, and
 * compared at once: the next heartbeat may be about others.
 *
 * Heartbeats and crossings are read in one snapshot, which has every crossing that the heartbeats report as acknowledged. A call
 * reads a bounded number of the stored sequences that are not accounted for yet; the next one about the device continues with
 * them. One gateway does this at a time: returns undefined if another one does.
 */
export async function compareJournals(db: Db, after: number, most: number): Promise<Comparison | undefined> {
  return db.transaction().execute(async (trx) => {
    if (!(await tryLock(trx, lockKeys.requests, idleTimeout))) return undefined;
    const compare = () => runStatement<Comparison & Added>(trx, compareStatement, [after, most]);
    const [first] = await compare();
    if (!first?.added) return first;
    const [second = first] = await compare();
    return { ...second, changed: [...first.changed, ...second.changed] };
  });
}

/** The device that follows the device `after`; 0 if that is the last one. */
export async function deviceAfter(db: Db, after: number): Promise<number> {
  const states = db.selectFrom('deviceState').select('deviceId').where('deviceId', '>', after);
  const next = await states.orderBy('deviceId').limit(1).executeTakeFirst();
  return next?.deviceId ?? 0;
}

/** The server ends a transaction that is idle for so long (ms), if a gateway hangs. */
export const idleTimeout = 5_000;

/**
 * The most journals in a heartbeat that are compared, its own first, and the most others of a device: more than any unit has.
 * Which of the others are compared changes from call to call.
 */
const mostCompared = 8;

/** How many stored sequences of the journals of a device one statement reads. */
const mostRead = 2_000;

/** With this many missing ranges, later sequences of a journal are compared when some of them are stored. */
const mostMissing = 100;

/** The most lost ranges of a journal that are recorded as lost; further ones are only accounted for. */
const mostLost = 1_000;

/** A journal of which this many separate ranges are accounted for gets no further lost or rejected ones. */
export const mostRanges = 10_000;

/** A field of `lost`, as far as it is a whole number of 0 or more. */
const sequence = (index: number) =>
  `case when (entry->${index})::text ~ '^[0-9]{1,16}$' then (entry->>${index})::bigint end`;

/**
 * `said`: what the heartbeats say about journals. `due`: these, those with missing sequences, and those with recorded ones that
 * are not accounted for and whose unit writes another journal. The missing ones are lost if the unit has refused to continue
 * because it no longer has the journal: those that were missing when it was asked, so `missing_since` begins again when none of
 * these is missing any more.
 *
 * `accepted`: of what a unit has declared lost, what is recorded. `asked`: what to compare; `seen`: as far as stored sequences
 * were read; `judged`: of that, as far as `cut`. Stored sequences are read range by range in their order (the planner sorts by
 * the first key already), so that the database stops when it has read enough.
 * Values of `journal` in the update are those of the newest version of its row, also if it waited for another writer. Every
 * writer of several journals locks them in the order of their ids, so that two do not deadlock.
 */
const compareStatement = `
  with unit as materialized (
    select device_id, heartbeat,
      heartbeat ? 'journal' and heartbeat_integer(heartbeat, 'recorded') is not null
        or heartbeat_integer(heartbeat->'volatile', 'recorded') is not null as writes
    from device_state where device_id > $1 order by device_id limit $2
  ), said as materialized (
    select * from (
      select device_id, name, max(recorded) as recorded, coalesce(max(acknowledged), 0) as acknowledged,
        coalesce(range_agg(lost), '{}') as lost,
        row_number() over (partition by device_id order by min(rank)) as rank
      from unit cross join lateral (
        select 0 as rank, heartbeat->>'journal' as name, heartbeat_integer(heartbeat, 'recorded') as recorded,
          heartbeat_integer(heartbeat, 'acknowledged') as acknowledged, null::int8range as lost
        union all
        select 1, volatile->>'journal', heartbeat_integer(volatile, 'recorded'),
          heartbeat_integer(volatile, 'acknowledged'), null
        from (select heartbeat->'volatile' as volatile) other
        union all
        select 1 + position, entry->>0, null, null,
          case when greatest(1, first) <= last then int8range(greatest(1, first), last, '[]') end
        from jsonb_array_elements(case when jsonb_typeof(heartbeat->'lost') = 'array' then heartbeat->'lost' end)
          with ordinality as lost (entry, position)
        cross join lateral (select ${sequence(1)} as first, ${sequence(2)} as last) range
      ) part
      where name collate "C" ~ '${journalIdPattern}'
      group by device_id, name
    ) part
    where rank <= ${mostCompared}
  ), due as materialized (
    select *, count(*) over (partition by device_id) as journals
    from (
      select journal.id, device_id, name, missing, accounted, journal.recorded as known, said.recorded,
        greatest(said.acknowledged, case when is_ended then journal.recorded end, 0) as acknowledged,
        coalesce(said.lost, '{}') + refused as declared,
        row_number() over (partition by device_id, said.name is null order by random()) as place
      from journal join unit using (device_id) left join said using (device_id, name)
      cross join lateral (
        select writes and said.recorded is null
          and not int8range(1, coalesce(journal.recorded, 0) + 1) <@ (accounted + missing) as is_ended
      ) ended cross join lateral (
        select case when missing_since is not null and exists (
          select from device_command request
          where request.device_id = journal.device_id and request.command->>'command' = 'continue'
            and request.command->>'journal' = journal.name and state = 'failed' and request.created_at >= missing_since
        ) then missing else '{}' end as refused
      ) refused
      where said.name is not null or missing_since is not null or is_ended
    ) found
    where place <= ${mostCompared}
  ), reported as materialized (
    select due.*, accepted,
      int8multirange(
        int8range(1, acknowledged + 1),
        int8range(coalesce(recorded, known, 0) + 1, greatest(recorded, known, 0) + 1)
      ) + accepted + missing - accounted as asked
    from due cross join lateral (
      select case when (select count(*) from unnest(accounted)) < ${mostRanges} then declared else '{}' end as accepted
    ) room
  ), read as materialized (
    select reported.*, last_read,
      coalesce(found.stored, '{}') as stored,
      asked * int8multirange(int8range(null, last_read + 1)) as seen
    from reported cross join lateral (
      select range_agg(int8range(sequence, sequence, '[]')) as stored,
        case when count(*) = ${mostRead} / journals then max(sequence) end as last_read
      from (
        select sequence
        from (select lower(part) as first, upper(part) as after from unnest(asked) part order by 1) part
        cross join lateral (
          select sequence from crossing
          where journal_id = reported.id and sequence >= part.first and sequence < part.after
          order by sequence limit ${mostRead}
        ) crossing
        order by part.first, sequence limit ${mostRead} / journals
      ) crossing
    ) found
  ), compared as materialized (
    select id, device_id, name, missing, accepted, recorded, stored,
      seen * int8multirange(int8range(null, cut)) as judged
    from read cross join lateral (
      select (
        select lower(gap) from unnest(seen - stored - accepted) gap order by 1 offset ${mostMissing} limit 1
      ) as cut
    ) cut
  ), changed as materialized (
    select *, judged * (stored + accepted) as added, judged * accepted - stored as newly_lost,
      judged - stored - accepted as open
    from compared
  ), locked as materialized (
    select journal.id from changed join journal using (id)
    where not (isempty(added) and open <@ journal.missing
      and coalesce(changed.recorded <= journal.recorded, changed.recorded is null))
    order by journal.id for update of journal
  ), updated as (
    update journal set
      recorded = greatest(journal.recorded, changed.recorded),
      accounted = journal.accounted + added,
      missing = journal.missing + open - journal.accounted - added,
      missing_since = case when journal.missing && (journal.missing + open - journal.accounted - added) then missing_since
        when not isempty(journal.missing + open - journal.accounted - added) then now() end,
      lost = case when (select count(*) from unnest(journal.lost)) < ${mostLost}
        then journal.lost + (newly_lost - journal.accounted) else journal.lost end,
      lost_lately = count_sequences(newly_lost - journal.accounted)
        + case when isempty(newly_lost - journal.accounted) or lost_at > now() - interval '1 day'
          then lost_lately else 0 end,
      lost_at = case when isempty(newly_lost - journal.accounted) then lost_at else now() end
    from changed join locked using (id)
    where journal.id = changed.id
  ), inserted as (
    insert into journal (device_id, name)
    select device_id, name from said
    where (recorded > 0 or acknowledged > 0 or not isempty(lost))
      and not exists (select from journal where journal.device_id = said.device_id and journal.name = said.name)
      and (select count(*) from journal where journal.device_id = said.device_id) < ${mostJournals}
    order by device_id, name
    on conflict (device_id, name) do nothing
    returning 1
  ), noted as (
    select serial, changed.name as journal, count_sequences(newly_lost) as lost, count_sequences(missing) as before,
      count_sequences(missing + open - added) as missing
    from changed join device on device.id = device_id
  )
  select coalesce((select max(device_id) from unit having count(*) = $2), 0) as last,
    (select count(*) from inserted) as added,
    coalesce((select json_agg(noted) from noted where lost > 0 or missing <> before), '[]') as changed`;
