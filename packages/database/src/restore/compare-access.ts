import pg from 'pg';

/** What the credentials of companies and the secrets of units can do after a restore, compared with before. */
export interface ChangedAccess {
  /** Credentials that were revoked, replaced or expired, and are valid again, such as `counts "till" of Acme`. */
  readonly revived: readonly string[];
  /** Credentials that were valid, and are refused now. */
  readonly refused: readonly string[];
  /** Serial numbers of units whose earlier secret is valid again. */
  readonly revivedUnits: readonly string[];
  /** Serial numbers of units that could log in, and are refused now with the same secret. */
  readonly refusedUnits: readonly string[];
}

/** Compares the tables of this connection with the ones in `previous`, a schema of the same installation. */
export async function compareAccess(client: pg.ClientBase, previous: string): Promise<ChangedAccess> {
  const before = pg.escapeIdentifier(previous);
  const { rows } = await client.query<ChangedAccess>(`
    with now_valid as (${validCredentials('')}), was_valid as (${validCredentials(`${before}.`)}),
      now_unit as (${validUnits('')}), was_unit as (${validUnits(`${before}.`)})
    select
      array(select name from now_valid where (hash, name) not in (select * from was_valid) order by name) as revived,
      array(select name from was_valid where (hash, name) not in (select * from now_valid) order by name) as refused,
      array(select name from now_unit where (hash, name) not in (select * from was_unit)
        and name in (select serial from ${before}.device) order by name) as "revivedUnits",
      array(select name from was_unit where (hash, name) not in (select * from now_unit) order by name) as "refusedUnits"`);
  return rows[0] ?? { revived: [], refused: [], revivedUnits: [], refusedUnits: [] };
}

const validCredentials = (schema: string) => `
  select hash, format('%s "%s" of %s', kind, label, company.name) as name
  from ${schema}credential join ${schema}company on company.id = company_id
  where revoked_at is null and (expires_at is null or expires_at > now())`;

const validUnits = (schema: string) => `
  select secret_hash as hash, serial as name from ${schema}device where secret_revoked_at is null`;
