import { recordMailServer } from '@visitor-counter/database/outbox/outbox';
import {
  claimMails,
  incompleteMails,
  mailOf,
  queueMails,
  type ReportMail,
  recordSent,
  removeOldMails,
} from '@visitor-counter/database/reports/report-mails';
import { scheduledReports } from '@visitor-counter/database/reports/scheduled-reports';
import { connect, type Database } from '@visitor-counter/database/sql/connect';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import { composeMail } from '@visitor-counter/reports/compose';
import { dueMails } from '@visitor-counter/reports/due';
import { isIncomplete, type ReportContent, readReport } from '@visitor-counter/reports/read-report';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { repeat } from '@visitor-counter/service/repeat';
import type { RoleContext } from '@visitor-counter/service/roles';
import { countAttempts, Deliverer, type Delivering } from '../delivery/deliverer.ts';
import { DeliveryError, type Mailer } from '../delivery/mailer.ts';

/** Pauses between searches for due reports, for mails to send, and for reports that have become complete (ms). */
const intervals = { queueing: 10_000, sending: 1_000, completing: 5 * 60_000 };

/**
 * Starts to mail reports, over connections of their own, so that alerts never wait for them. All state is in the database:
 * any process can continue after another one has died.
 */
export function startReports(
  mailer: Mailer,
  hasMailServer: boolean,
  { databaseUrl, log, metrics }: Pick<RoleContext, 'databaseUrl' | 'log' | 'metrics'>,
): { close(): Promise<void> } {
  const database = connect(databaseUrl, {
    applicationName: 'visitor-counter reports',
    maxConnections: 6,
    statementTimeout: 30_000,
    queryDeadline: 31_000,
  });
  const bounded = new BoundedLog(log);
  const count = countAttempts(
    metrics,
    'visitor_counter_report_mails_total',
    'Attempts to mail a report, by result.',
  );
  const failed = (error: unknown) => bounded.write('warn', errorFields(error), 'reports not sent');
  const deliverer = reportDeliverer({
    database,
    mailer,
    onError: failed,
    onAttempt: ({ company, name, from, to, kind }, problem) => {
      count(problem);
      const about = { company, report: name, from, to, kind };
      if (problem === undefined) bounded.write('info', about, 'report sent');
      else bounded.write('warn', { ...about, problem }, 'report not sent');
    },
  });
  const working = [
    repeat(
      intervals.queueing,
      async () => {
        await recordMailServer(database.kysely, hasMailServer);
        await queueDue(database, Date.now());
      },
      failed,
    ),
    repeat(intervals.sending, () => deliverer.sendDue(), failed),
    repeat(
      intervals.completing,
      async () => {
        await removeOldMails(database.kysely);
        await queueCompleted(database, Date.now(), failed);
      },
      failed,
    ),
  ];
  return {
    close: async () => {
      await Promise.all(working.map((work) => work.close()));
      await deliverer.close();
      await database.close();
    },
  };
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
  for (const due of await incompleteMails(kysely, now)) {
    try {
      const mail = await mailOf(kysely, due);
      const content = mail && (await read(database, mail));
      if (content && !isIncomplete(content)) await queueMails(kysely, [due], 'completed');
    } catch (error) {
      onError(error);
    }
  }
}

interface ReportDelivering extends Pick<Delivering<ReportMail>, 'database' | 'onAttempt' | 'onError'> {
  readonly mailer: Mailer;
}

/** Mails reports; each is tried for more than two days. */
export function reportDeliverer({ mailer, ...options }: ReportDelivering): Deliverer<ReportMail> {
  return new Deliverer({
    ...options,
    outbox: 'report_mail',
    limit: 8,
    backOff: { first: 10_000, longest: 30 * 60_000 },
    mostAttempts: 150,
    claim: (free) => claimMails(options.database.kysely, free),
    send: (mail, signal) => sendReport(options.database, mailer, mail, signal),
  });
}

/** Sends a report to the recipients who have not received it. */
async function sendReport(
  database: Database,
  mailer: Mailer,
  mail: ReportMail,
  signal: AbortSignal,
): Promise<void> {
  /* A process has died after everybody had received it, or the last one who had not was removed. */
  if (mail.remaining.length === 0) return;
  const content = await read(database, mail);
  if (content === undefined) throw new DeliveryError('the report has no stores', { isFinal: true });
  const refused = await mailer.send(await composeMail(content), signal).catch((error: unknown) => {
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
