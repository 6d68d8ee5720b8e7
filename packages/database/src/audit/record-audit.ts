import { type Kysely, sql } from 'kysely';
import type { DB } from '../sql/schema.ts';

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
export async function setAuthor(trx: Kysely<DB>, author: Author): Promise<void> {
  await sql`select set_config('audit.author', ${JSON.stringify(author)}, true)`.execute(trx);
}

/** An action that is no row of configuration, such as an order or a correction, as the audit log shows it. It must not contain a secret. */
interface AuditedChange {
  /** What was done, such as `created` or `secret rotated`. */
  readonly action: string;
  /** The name of the company; null for what concerns all of them. */
  readonly company: string | null;
  /** What was changed: a device by its serial, a store by its sid. */
  readonly subject: AuditSubject;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface AuditSubject {
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

/**
 * Adds entries to the audit log, in the open transaction that makes the changes: both are committed, or neither is.
 */
export async function recordAudit(
  trx: Kysely<DB>,
  author: Author,
  ...changes: readonly AuditedChange[]
): Promise<void> {
  for (const { action, company, subject, details = {} } of changes)
    await trx
      .insertInto('auditEntry')
      .values({
        authorKind: author.kind,
        author: author.name,
        credential: author.credential,
        origin: author.origin,
        action,
        company,
        subjectKind: subject.kind,
        subject: subject.key,
        details: JSON.stringify(details),
      })
      .execute();
}

/** The company and the subject of an entry. */
export type Concerned = Pick<AuditedChange, 'company' | 'subject'>;

/** A device as the subject of an entry, with its company. */
export async function deviceConcerned(db: Kysely<DB>, deviceId: number): Promise<Concerned> {
  const device = await db
    .selectFrom('device')
    .innerJoin('company', 'company.id', 'companyId')
    .select(['company.name as company', 'serial as key'])
    .where('device.id', '=', deviceId)
    .executeTakeFirst();
  return { company: device?.company ?? null, subject: { kind: 'device', key: device?.key ?? '' } };
}

/** A store as the subject of an entry, with its company. */
export async function storeConcerned(db: Kysely<DB>, storeId: number): Promise<Concerned> {
  const store = await db
    .selectFrom('store')
    .innerJoin('company', 'company.id', 'companyId')
    .select(['company.name as company', 'sid as key'])
    .where('store.id', '=', storeId)
    .executeTakeFirst();
  return { company: store?.company ?? null, subject: { kind: 'store', key: store?.key ?? '' } };
}
