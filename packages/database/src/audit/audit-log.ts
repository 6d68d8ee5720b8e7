import { sql } from 'kysely';
import { type Db, instant } from '../sql/query-builder.ts';

/** Who makes a change, and from where. */
export interface Author {
  /** An operator on the command line, staff of a company over HTTP, or a unit that enrols itself. */
  readonly kind: 'operator' | 'staff' | 'unit';
  readonly name: string;
  /** The label of the credential that staff used; null for others. */
  readonly credential: string | null;
  /** An address, or the user and computer of an operator. */
  readonly origin: string;
}

/** Makes `author` the author of what the transaction changes in tables of configuration: triggers add the entries. */
export async function setAuthor(trx: Db, author: Author): Promise<void> {
  await sql`select set_config('audit.author', ${JSON.stringify(author)}, true)`.execute(trx);
}

/** An action that is no row of configuration, such as an order or a correction, as the audit log shows it. It must not contain a secret. */
export interface AuditedChange {
  /** What was done, such as `created` or `secret rotated`. */
  readonly action: string;
  /** The name of the company; null for what concerns all of them. */
  readonly company: string | null;
  /** What was changed: a device by its serial, a store by its sid. */
  readonly subject: AuditSubject;
  readonly details?: Readonly<Record<string, unknown>>;
}

interface AuditSubject {
  readonly kind:
    | 'company'
    | 'store'
    | 'shop group'
    | 'device'
    | 'credential'
    | 'alert rule'
    | 'alert target'
    | 'mail report'
    | 'projection'
    | 'database';
  readonly key: string;
}

/** Adds an entry to the audit log, in the open transaction that makes the change: both are committed, or neither is. */
export async function recordAudit(
  trx: Db,
  { kind: authorKind, name: author, credential, origin }: Author,
  { action, company, subject: { kind: subjectKind, key: subject }, details = {} }: AuditedChange,
): Promise<void> {
  const values = { authorKind, author, credential, origin, action, company, subjectKind, subject };
  await trx
    .insertInto('auditEntry')
    .values({ ...values, details: JSON.stringify(details) })
    .execute();
}

/** The company and the subject of an entry. */
export type Concerned = Pick<AuditedChange, 'company' | 'subject'>;

/** A device or store as the subject of an entry, with its company. */
export async function concerned(db: Db, kind: 'device' | 'store', id: number): Promise<Concerned> {
  const { rows } = await sql<{ company: string; key: string }>`
    select company.name as company, ${sql.ref(kind === 'device' ? 'serial' : 'sid')} as key
    from ${sql.table(kind)} own join company on company.id = own.company_id where own.id = ${id}`.execute(db);
  return { company: rows[0]?.company ?? null, subject: { kind, key: rows[0]?.key ?? '' } };
}

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
export async function listAudit(db: Db, { from, until, who, subject, company }: AuditFilter, limit: number) {
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
