import { requireRestored } from '@visitor-counter/database/crossings/history';
import {
  type CorrectionTimes,
  dropCorrection,
  queueCorrections,
  removeOldMails,
} from '@visitor-counter/database/reports/report-changes';
import {
  claimMails,
  extendMailClaims,
  mailFailed,
  mailSucceeded,
  type ReportMail,
} from '@visitor-counter/database/reports/report-mails';
import { queueMails, scheduledReports } from '@visitor-counter/database/reports/scheduled-reports';
import type { Database } from '@visitor-counter/database/sql/connect';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { pauseAfter } from '@visitor-counter/service/back-off';
import { DeliveryError, type Mailer } from '../delivery/send.ts';
import { composeMail } from './compose.ts';
import { dueMails } from './due.ts';
import { type ReportContent, readReport } from './read-report.ts';
import { correctionsIn } from './report-texts.ts';

/** Mails in flight. */
const mostInFlight = 8;

/** Pauses between the attempts of a mail (ms), and how many there are: about three days. */
const backOff = { first: 10_000, longest: 30 * 60_000 };
const mostAttempts = 150;

/** How long a mail is reserved for the process that has claimed it; the process renews the lease (ms). */
const lease = 4_000;

/** When reports and their corrections are sent (ms). */
export interface ReportTimes extends CorrectionTimes {
  /**
   * After the last store has closed: units deliver within seconds, and their heartbeats come each minute. Hundreds of mails
   * take minutes, and are promised within ten minutes of closing.
   */
  readonly grace: number;
}

export const reportTimes: ReportTimes = {
  grace: 2 * 60_000,
  longest: 14 * 86_400_000,
  quiet: 15 * 60_000,
  pause: 86_400_000,
};

export interface Reporting {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly times: ReportTimes;
  /** Called after every attempt, with the problem if there was one. */
  readonly onAttempt: (mail: ReportMail, problem?: string) => void;
  /** Called when a report cannot be read, or a result cannot be stored; the mail is sent again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Mails reports. All state is in the database: any process can continue after another one has died. A mail counts as sent
 * only after a mail server has accepted it; a process that dies in between causes a second one with the same Message-ID.
 * While a database is being restored nothing is queued or sent: what was sent may not be restored yet.
 */
export class Reporter {
  readonly #options: Reporting;
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #renewal: NodeJS.Timeout;

  constructor(options: Reporting) {
    this.#options = options;
    this.#renewal = setInterval(() => this.#renewClaims(), lease / 4);
  }

  /** Queues the mails that are due at `now` (epoch ms); returns their number. */
  async queueDue(now = Date.now()): Promise<number> {
    const { database, times } = this.#options;
    await requireRestored(database.kysely);
    const reports = await scheduledReports(database.kysely);
    return await queueMails(database.kysely, dueMails(reports, now, times.grace));
  }

  /** Removes old mails, and queues corrections of mails whose numbers have changed; returns their number. */
  async queueCorrections(): Promise<number> {
    const { database, times } = this.#options;
    await requireRestored(database.kysely);
    await removeOldMails(database.kysely);
    return await queueCorrections(database.kysely, times);
  }

  /** Claims due mails and begins to send them; returns their number. */
  async sendDue(): Promise<number> {
    const free = mostInFlight - this.#inFlight.size;
    if (free <= 0) return 0;
    const { kysely } = this.#options.database;
    await requireRestored(kysely);
    const due = await claimMails(kysely, free, lease);
    for (const mail of due) {
      const done = this.#attempt(mail)
        .catch((error: unknown) => this.#failed(mail, error))
        .catch(this.#options.onError)
        .finally(() => this.#inFlight.delete(mail.id));
      this.#inFlight.set(mail.id, done);
    }
    return due.length;
  }

  /** Resolves when no mail is in flight. */
  async idle(): Promise<void> {
    await Promise.all(this.#inFlight.values());
  }

  async close(): Promise<void> {
    await this.idle();
    clearInterval(this.#renewal);
  }

  async #attempt(mail: ReportMail): Promise<void> {
    const { database, onAttempt } = this.#options;
    const { kysely } = database;
    const content = await this.#read(mail);
    if (content === undefined)
      return await mailFailed(
        kysely,
        mail.id,
        { problem: 'its stores do not exist', remaining: [], sent: undefined },
        undefined,
      );
    const { sent } = content;
    if (mail.version > 1 && correctionsIn(content).length === 0)
      return await dropCorrection(kysely, { id: mail.id, digest: sent.digest });
    const { problem, remaining } = await this.#send(content);
    onAttempt(mail, problem);
    if (problem === undefined) return await mailSucceeded(kysely, mail.id, sent);
    const hasReached = remaining.length < mail.recipients.length;
    const failed = { problem, remaining, sent: hasReached ? sent : undefined };
    await mailFailed(kysely, mail.id, failed, nextPause(mail));
  }

  /** A report that cannot be composed is retried like one that cannot be sent. */
  async #failed(mail: ReportMail, error: unknown): Promise<void> {
    const { database, onError } = this.#options;
    onError(error);
    const failed = { problem: 'the report could not be made', remaining: mail.remaining, sent: undefined };
    await mailFailed(database.kysely, mail.id, failed, nextPause(mail));
  }

  async #read(mail: ReportMail): Promise<ReportContent | undefined> {
    await using snapshot = await openSnapshot(this.#options.database);
    return await readReport(snapshot.db, mail);
  }

  /** Sends a report. Returns the recipients who have not received it, and why. */
  async #send(content: ReportContent): Promise<{ problem?: string; remaining: readonly string[] }> {
    try {
      const refused = await this.#options.mailer.post(await composeMail(content));
      if (refused.length === 0) return { remaining: [] };
      return { problem: `the mail server refused ${refused.join(', ')}`, remaining: refused };
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      return { problem: error.message, remaining: content.mail.remaining };
    }
  }

  #renewClaims(): void {
    const ids = [...this.#inFlight.keys()];
    if (ids.length === 0) return;
    extendMailClaims(this.#options.database.kysely, ids, lease).catch(this.#options.onError);
  }
}

/** Until the next attempt (ms); undefined after the last one. */
function nextPause({ attempts }: ReportMail): number | undefined {
  return attempts < mostAttempts ? pauseAfter(attempts, backOff, Math.random()) : undefined;
}
