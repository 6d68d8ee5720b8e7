import type { ClientBase } from 'pg';

/** The database is another one than before: cached devices and sessions are not valid for it. */
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
 * Returns a check for new connections, which throws if one leads to another database than the first one. Otherwise,
 * if the address of the database changed, crossings would be stored for devices that have the same id in the other
 * one.
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
