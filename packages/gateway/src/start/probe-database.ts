import { canRead } from '@visitor-counter/database/sql/can-read';
import type { Database } from '@visitor-counter/database/sql/connect';

/** Undefined when the database answers and crossings can be read, otherwise the problem, as text for the operator. */
export async function probeDatabase(database: Database): Promise<string | undefined> {
  return (await canRead(database, ['crossing'])) ? undefined : 'the database does not answer';
}
