import { recordMailServer } from '@visitor-counter/database/outbox/outbox';
import { scheduledReports } from '@visitor-counter/database/reports/mail-reports';
import {
  incompleteMails,
  queueCompletedMail,
  queueMails,
  type ReportMail,
  readMail,
  recordSent,
  removeOldMails,
} from '@visitor-counter/database/reports/report-mails';
import type { Database } from '@visitor-counter/database/sql/connect';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { composeMail } from '@visitor-counter/reports/compose';
import { dueMails } from '@visitor-counter/reports/due';
import { isIncomplete, type ReportContent, readReport } from '@visitor-counter/reports/read-report';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';
import { DeliveryError, type Mailer } from '../delivery/mailer.ts';
import type { Prepared } from '../delivery/sender.ts';

/** Pauses between searches for due reports, and for reports that have become complete (ms). */
const intervals = { queueing: 10_000, completing: 5 * 60_000 };

/**
 * Starts to queue reports when they are due, and when they have become complete. All state is in the database: any process
 * can continue after another one has died.
 */
export function startReports(
  database: Database,
  hasMailServer: boolean,
  failed: (error: unknown) => void,
): readonly Repetition[] {
  const { kysely } = database;
  const queueing = async () => {
    await recordMailServer(kysely, hasMailServer);
    await queueDue(database, Date.now());
  };
  const completing = async () => {
    await removeOldMails(kysely);
    await queueCompleted(database, Date.now(), failed);
  };
  return [repeat(intervals.queueing, queueing, failed), repeat(intervals.completing, completing, failed)];
}

/** Queues the mails that are due at `now` (epoch ms). */
export async function queueDue({ kysely }: Database, now: number): Promise<void> {
  await queueMails(kysely, dueMails(await scheduledReports(kysely), now));
}

/**
 * Queues once more the reports that were incomplete when they were sent, and are complete at `now` (epoch ms). One that
 * cannot be read delays no other.
 */
export async function queueCompleted(
  database: Database,
  now: number,
  onError: (error: unknown) => void,
): Promise<void> {
  const { kysely } = database;
  for (const id of await incompleteMails(kysely, now)) {
    try {
      const mail = await readMail(kysely, id);
      const content = mail && (await read(database, mail));
      if (content && !isIncomplete(content)) await queueCompletedMail(kysely, id);
    } catch (error) {
      onError(error);
    }
  }
}

/** Reads mails of reports that have recipients who have not received them. */
export function reportMessages(database: Database, mailer: Mailer) {
  return async (id: string): Promise<Prepared | undefined> => {
    const mail = await readMail(database.kysely, id);
    /* A process has died after everybody had received it, or the last one who had not was removed. */
    if (mail === undefined || mail.remaining.length === 0) return undefined;
    const { company, name, from, to, kind } = mail;
    return {
      about: { company, report: name, from, to, kind },
      send: (signal) => sendReport(database, mailer, mail, signal),
    };
  };
}

/** Sends a report to the recipients who have not received it. */
async function sendReport(
  database: Database,
  mailer: Mailer,
  mail: ReportMail,
  signal: AbortSignal,
): Promise<void> {
  const content = await read(database, mail);
  if (content === undefined) throw new DeliveryError('the report has no stores', { isFinal: true });
  const composed = await composeMail(content);
  signal.throwIfAborted();
  const refused = await mailer.send(composed, signal).catch((error: unknown) => {
    /* A test is tried once: the page shows why it failed, and the user can repeat it. */
    const isTest = mail.kind === 'test' && error instanceof DeliveryError;
    throw isTest ? new DeliveryError(error.message, { cause: error, isFinal: true }) : error;
  });
  const accepted = mail.remaining.filter((one) => !refused.includes(one));
  await recordSent(database.kysely, mail.id, isIncomplete(content), accepted);
  if (refused.length > 0) throw new DeliveryError(`the mail server refused ${refused.join(', ')}`);
}

async function read(database: Database, mail: ReportMail): Promise<ReportContent | undefined> {
  await using snapshot = await openSnapshot(database);
  return await readReport(snapshot.db, mail);
}
