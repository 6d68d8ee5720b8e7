import { type Kysely, sql } from 'kysely';
import { instant } from '../sql/query-builder.ts';
import type { DB } from '../sql/schema.ts';
import type { Author } from './record-audit.ts';

/** An entry of the audit log. */
export type AuditEntry = Awaited<ReturnType<typeof listAudit>>[number];

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
}

/** The newest entries of the audit log, the latest first; at most `limit`. */
export async function listAudit(
  db: Kysely<DB>,
  { from, until, who, subject, company }: AuditFilter,
  limit: number,
) {
  const rows = await db
    .selectFrom('auditEntry')
    .selectAll()
    .$if(from !== undefined, (all) => all.where('at', '>=', instant(from ?? 0)))
    .$if(until !== undefined, (all) => all.where('at', '<', instant(until ?? 0)))
    .$if(who !== undefined, (all) =>
      all.where(sql<boolean>`lower(${who}) in (lower(author), lower(credential))`),
    )
    .$if(subject !== undefined, (all) => all.where(sql<boolean>`lower(subject) = lower(${subject})`))
    .$if(company !== undefined, (all) => all.where(sql<boolean>`lower(company) = lower(${company})`))
    .orderBy('id', 'desc')
    .limit(limit)
    .$narrowType<{ authorKind: Author['kind'] }>()
    .execute();
  return rows.map(({ authorKind, author, credential, origin, subjectKind, subject, ...entry }) => ({
    ...entry,
    author: { kind: authorKind, name: author, credential, origin },
    subject: { kind: subjectKind, key: subject },
  }));
}
