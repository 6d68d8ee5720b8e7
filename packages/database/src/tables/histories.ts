import type { Generated, GeneratedAlways } from 'kysely';
import type { BigInt64, GeneratedInstant } from './columns.ts';

export interface HistoryTables {
  installation: InstallationTable;
  history: HistoryTable;
}

interface InstallationTable {
  singleton: Generated<boolean>;
  id: Generated<string>;
  /** Added to the server's own transaction numbers. */
  transactions_before: Generated<BigInt64>;
  created_at: GeneratedInstant;
}

/** What one run of one server does with these tables; the highest number is the present one. */
interface HistoryTable {
  number: GeneratedAlways<number>;
  id: Generated<string>;
  origin: string;
  /** The last transaction that it has in common with the history before it. */
  after_transaction: BigInt64;
  begun_at: GeneratedInstant;
}
