import { type Kysely, sql } from 'kysely';
import { timestamp } from '../sql/instant.ts';
import type { Schema } from '../tables/schema.ts';
import type { AuditedChange, Author } from './record-audit.ts';

/** An entry of the audit log. */
export interface AuditEntry extends Required<Omit<AuditedChange, 'subject' | 'details'>> {
  /** A 64-bit number. */
  readonly id: string;
  readonly at: Date;
  readonly author: Author;
  readonly subject: { readonly kind: string; readonly key: string };
  readonly details: unknown;
}

/** Fields that are left out do not restrict the list. Texts are compared without case. */
export interface AuditFilter {
  /** Epoch ms; `until` is exclusive. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  /** The name of the author, or the label of the credential. */
  readonly who?: string | undefined;
  /** The serial, sid, name or label of what was changed. */
  readonly subject?: string | undefined;
  readonly company?: string | undefined;
  /** Only entries with a lower id. */
  readonly before?: string | undefined;
}

/** The newest entries of the audit log, the latest first; at most `limit`. */
export async function listAudit(
  db: Kysely<Schema>,
  filter: AuditFilter,
  limit: number,
): Promise<AuditEntry[]> {
  let query = db.selectFrom('audit_entry').selectAll().orderBy('id', 'desc').limit(limit);
  const { from, until, who, subject, company, before } = filter;
  if (from !== undefined) query = query.where('at', '>=', sql<Date>`${timestamp(from)}::timestamptz`);
  if (until !== undefined) query = query.where('at', '<', sql<Date>`${timestamp(until)}::timestamptz`);
  if (who !== undefined)
    query = query.where(sql<boolean>`lower(${who}) in (lower(author), lower(credential))`);
  if (subject !== undefined) query = query.where(sql<boolean>`lower(subject) = lower(${subject})`);
  if (company !== undefined) query = query.where(sql<boolean>`lower(company) = lower(${company})`);
  if (before !== undefined) query = query.where('id', '<', before);
  return (await query.execute()).map((row) => ({
    ...{ id: row.id, at: row.at, action: row.action, company: row.company, details: row.details },
    author: {
      ...{ kind: row.author_kind, name: row.author, credential: row.credential, origin: row.origin },
    },
    subject: { kind: row.subject_kind, key: row.subject },
  }));
}
