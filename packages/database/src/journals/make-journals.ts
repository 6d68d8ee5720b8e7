import type { ClientBase } from 'pg';
import type { JournalName } from './journal-ids.ts';

/** A device with this many journals gets no more that only its rejected entries or heartbeats name. */
const most = 100;

/**
 * Adds the missing ones of `journals` to the database, as far as their devices are in it: a journal can begin with a
 * rejected entry, and a restored database may lack it. A device with very many journals gets no more this way.
 */
export async function makeJournals(client: ClientBase, journals: readonly JournalName[]): Promise<void> {
  await client.query(statement, [
    journals.map(({ deviceId }) => deviceId),
    journals.map(({ journal }) => journal),
  ]);
}

const statement = `
  insert into journal (device_id, name)
  select distinct device.id, wanted.name
  from unnest($1::integer[], $2::text[]) as wanted (device_id, name)
  join device on device.id = wanted.device_id
  where not exists (select from journal where device_id = device.id and name = wanted.name)
    and (select count(*) from journal where device_id = device.id) < ${most}
  order by 1, 2
  on conflict (device_id, name) do nothing`;
