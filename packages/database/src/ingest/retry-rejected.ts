import { type Author, recordAudit } from '../audit/audit-log.ts';
import { JournalIds } from '../crossings/journal-ids.ts';
import { replaceRejected } from '../rejected/store-rejected.ts';
import type { Db } from '../sql/query-builder.ts';
import { retryOnConflict } from '../sql/unavailable.ts';
import { type MessageToStore, storeCrossings } from './store-messages.ts';

/** A message to retry, and what the audit log says about it. */
interface Retry {
  readonly id: number;
  readonly serial: string;
  readonly company: string;
  readonly message: MessageToStore;
  /** Conflicting crossings are stored in a journal of their own. */
  readonly asNewJournal: boolean;
}

/** The result of a retry of a rejected message. */
export interface Retried {
  /** Crossings that are new in the table. */
  readonly stored: number;
  /** Crossings that were stored already. */
  readonly duplicates: number;
  /** Why the rest is still rejected; empty if the message was deleted. */
  readonly reasons: readonly string[];
}

/**
 * Stores what can be stored of a rejected message, through the path of all crossings, and then replaces the message with
 * what is still rejected. Throws if the database is unavailable or refuses the message; the message is then as it was, and
 * can be retried again.
 */
export async function retryRejected(
  db: Db,
  { id, serial, company, message, asNewJournal }: Retry,
  author: Author,
): Promise<Retried> {
  return retryOnConflict(async () => {
    const crossings = await storeCrossings(db, new JournalIds(), [message]);
    const { inserted: stored, duplicates, rejected } = crossings;
    const reasons = [...new Set(rejected.map(({ reason }) => reason))];
    await db.transaction().execute(async (trx) => {
      await replaceRejected(trx, id, rejected);
      await recordAudit(trx, author, {
        action: 'rejected message retried',
        company,
        subject: { kind: 'device', key: serial },
        details: {
          message: String(id),
          stored,
          stillRejected: reasons,
          ...(asNewJournal && { asNewJournal }),
        },
      });
    });
    return { stored, duplicates, reasons };
  });
}
