import { type Kysely, sql } from 'kysely';

/**
 * The rights that `setUpDatabase` grants to the role of this connection and that the role does not have, such as
 * `INSERT on crossing`. Empty for a role that was not set up in this way, such as the owner.
 */
export async function missingRights(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ missing: string }>`${statement}`.execute(db);
  return rows.map(({ missing }) => missing);
}

const statement = sql.raw(`
  select privilege || ' on ' || relation::regclass as missing
  from access_right cross join unnest(privileges) as privilege
  where role = current_user and not case when is_sequence
    then has_sequence_privilege(relation, privilege) else has_table_privilege(relation, privilege) end
  union all
  select 'UPDATE (' || name || ') on ' || relation::regclass
  from access_right cross join unnest(columns) as name
  where role = current_user and not has_column_privilege(relation, name, 'UPDATE')
  union all
  select 'EXECUTE on ' || oid::regprocedure from pg_proc
  where pronamespace = to_regnamespace(current_schema()) and not has_function_privilege(oid, 'EXECUTE')
    and exists (select from access_role where role = current_user)
  order by missing`);
