import type { ClientBase } from 'pg';

/** The database is another one than before: what is remembered of devices and sessions is not about it. */
export class OtherInstallation extends Error {
  override readonly name = 'OtherInstallation';
  readonly code = 'other-installation';

  constructor() {
    super(
      'DATABASE_URL leads to another database than when this process started: start it again to use that one',
    );
  }
}

/**
 * A check for each new connection that all of them lead to the database of the first one. A name or an address
 * that suddenly means another database would otherwise put crossings under devices that have the same number there.
 */
export function oneInstallation(): (client: ClientBase) => Promise<void> {
  let first: string | undefined;
  return async (client) => {
    const { rows } = await client.query<{ id: string }>('select id::text from installation');
    const id = rows[0]?.id;
    first ??= id;
    if (id !== first) throw new OtherInstallation();
  };
}
