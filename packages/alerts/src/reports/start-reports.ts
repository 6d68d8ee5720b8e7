import { connect } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { addCounter, type Metrics } from '@visitor-counter/service/metrics';
import { repeat } from '@visitor-counter/service/repeat';
import type { RoleContext } from '@visitor-counter/service/roles';
import type { Mailer } from '../delivery/send.ts';
import { Reporter, reportTimes } from './reporter.ts';

/** Pauses between searches for due reports, for mails to send, and for numbers that have changed (ms). */
const intervals = { queueing: 10_000, sending: 1_000, correcting: 5 * 60_000 };

/** Starts to mail reports, over connections of their own, so that alerts never wait for them. */
export function startReports(
  mailer: Mailer,
  { databaseUrl, log, metrics }: Pick<RoleContext, 'databaseUrl' | 'log' | 'metrics'>,
): { close(): Promise<void> } {
  const database = connect(databaseUrl, {
    applicationName: 'visitor-counter reports',
    maxConnections: 6,
    statementTimeout: 30_000,
    queryDeadline: 31_000,
  });
  const bounded = new BoundedLog(log);
  const attempts = countedAttempts(metrics);
  const failed = (error: unknown) => bounded.write('warn', errorFields(error), 'reports not sent');
  const reporter = new Reporter({
    database,
    mailer,
    times: reportTimes,
    onError: failed,
    onAttempt: ({ company, name, from, to, version }, problem) => {
      attempts[problem === undefined ? 'sent' : 'failed'] += 1;
      const about = { company, report: name, from, to, version };
      if (problem === undefined) bounded.write('info', about, 'report sent');
      else bounded.write('warn', { ...about, problem }, 'report not sent');
    },
  });
  const working = [
    repeat(intervals.queueing, () => reporter.queueDue(), failed),
    repeat(intervals.sending, () => reporter.sendDue(), failed),
    repeat(intervals.correcting, () => reporter.queueCorrections(), failed),
  ];
  return {
    close: async () => {
      await Promise.all(working.map((work) => work.close()));
      await reporter.close();
      await database.close();
    },
  };
}

/** Attempts to mail a report by result, which are a metric. */
function countedAttempts(metrics: Metrics): { sent: number; failed: number } {
  const attempts = { sent: 0, failed: 0 };
  addCounter(
    metrics,
    'visitor_counter_report_mails_total',
    'Attempts to mail a report, by result.',
    'result',
    () => Object.entries(attempts),
  );
  return attempts;
}
