import { type Kysely, sql } from 'kysely';
import { allOf } from '../sql/conditions.ts';
import { timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import type { AuditedChange, Author } from './record-audit.ts';

/** An entry of the audit log. */
export interface AuditEntry extends Required<Omit<AuditedChange, 'subject' | 'details'>> {
  /** A 64-bit number. */
  readonly id: string;
  readonly at: number;
  readonly author: Author;
  readonly subject: { readonly kind: string; readonly key: string };
  readonly details: unknown;
}

/** Fields that are left out do not restrict the list. Texts are compared without case. */
interface AuditFilter {
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
  db: Kysely<DB>,
  { from, until, who, subject, company, before }: AuditFilter,
  limit: number,
): Promise<AuditEntry[]> {
  const { rows } = await sql<AuditEntry>`
    select id, at, action, company, details,
      json_build_object('kind', author_kind, 'name', author, 'credential', credential, 'origin', origin) as author,
      json_build_object('kind', subject_kind, 'key', subject) as subject
    from audit_entry
    where ${allOf(
      from !== undefined && sql`at >= ${timestamp(from)}::timestamptz`,
      until !== undefined && sql`at < ${timestamp(until)}::timestamptz`,
      who !== undefined && sql`lower(${who}) in (lower(author), lower(credential))`,
      subject !== undefined && sql`lower(subject) = lower(${subject})`,
      company !== undefined && sql`lower(company) = lower(${company})`,
      before !== undefined && sql`id < ${before}::bigint`,
    )}
    order by id desc limit ${limit}`.execute(db);
  return rows;
}
