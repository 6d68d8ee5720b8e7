import { type Kysely, sql } from 'kysely';

/**
 * Which gateway holds a device's connection, and until when that gateway is believed: what it said is no longer true
 * once it has died. No gateway runs meanwhile, so no device is online.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  /* One row for each process: written every few seconds, and forgotten by those that come after it. */
  `create table gateway (
     id uuid primary key,
     seen_at timestamptz not null,
     believed_until timestamptz not null
   )`,
  /* Null: the connection is another broker's. No reference: the row of a gateway may come and go. */
  `alter table device_state add gateway_id uuid`,
  `update device_state set online = false, online_changed_at = coalesce(last_activity_at, online_changed_at)
   where online`,

  /* device_state.online is what the holder of the newest connection said last; this is whether it still holds. */
  `create view device_connection as
   select state.device_id, state.online and not forsaken as online,
     case when state.online and forsaken then greatest(gateway.seen_at, state.online_changed_at)
       else state.online_changed_at end as online_changed_at
   from device_state state
   left join gateway on gateway.id = state.gateway_id
   cross join lateral (
     select state.gateway_id is not null and coalesce(gateway.believed_until <= now(), true) as forsaken
   ) holder`,
];
