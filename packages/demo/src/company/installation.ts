import { connect } from '@visitor-counter/database/sql/connect';
import { nameKey } from '@visitor-counter/domain/name-key';
import { demoCompany } from './stores.ts';

export interface Installation {
  /** Distinguishes this database from every other, also from a later one at the same address. */
  readonly id: string;
  readonly companyExists: boolean;
}

/** The database's identity, and its data about the demonstration. */
export async function readInstallation(databaseUrl: string): Promise<Installation> {
  const database = connect(databaseUrl, { applicationName: 'visitor-counter demo', maxConnections: 1 });
  try {
    const { id } = await database.kysely.selectFrom('installation').select('id').executeTakeFirstOrThrow();
    const company = await database.kysely
      .selectFrom('company')
      .select('id')
      .where('name_key', '=', nameKey(demoCompany))
      .executeTakeFirst();
    return { id, companyExists: company !== undefined };
  } finally {
    await database.close();
  }
}
