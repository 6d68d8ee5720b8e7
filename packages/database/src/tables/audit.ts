import type { ColumnType, GeneratedAlways } from 'kysely';

export interface AuditTables {
  audit_entry: AuditEntryTable;
}

/** Rows are only inserted. */
interface AuditEntryTable {
  id: GeneratedAlways<string>;
  at: ColumnType<Date, never, never>;
  author_kind: 'operator' | 'staff' | 'unit';
  author: string;
  credential: string | null;
  origin: string;
  action: string;
  company: string | null;
  subject_kind: string;
  subject: string;
  details: ColumnType<unknown, string, never>;
}
