import { removeOldAlerts } from '@visitor-counter/database/alerts/open-alerts';
import { type SecretsKey, unreadableWebhooks } from '@visitor-counter/database/secrets/secrets-key';
import { canRead, connect, type Database } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { addCounter, addCounters, addGauge, type Metrics } from '@visitor-counter/service/metrics';
import { repeat } from '@visitor-counter/service/repeat';
import type { RoleContext, RunningRole } from '@visitor-counter/service/roles';
import type { AlertsConfig } from './config.ts';
import { createMailer } from './delivery/mailer.ts';
import { alertMessages } from './delivery/send-alert.ts';
import { type Prepare, Sender } from './delivery/sender.ts';
import { watchFleet } from './fleet/watch-fleet.ts';
import { reportMessages, startReports } from './reports/reporter.ts';
import type { Evaluated } from './rules/evaluate.ts';
import { startEvaluation } from './rules/start-evaluation.ts';

/** Pauses between searches for due messages, and for old alerts (ms). */
const intervals = { sending: 250, removing: 3_600_000 };

/**
 * Starts to evaluate the alert rules of companies, and to send alerts and reports. Any number of processes may do this: locks
 * and claims in the database divide the work.
 */
export async function startAlerts(config: AlertsConfig, context: RoleContext): Promise<RunningRole> {
  const { databaseUrl, migrated, log } = context;
  const { database, reports, close } = connectTo(databaseUrl);
  const unreadable = async () =>
    webhookProblem(await unreadableWebhooks(database.kysely, secretsKey), secretsKey);
  let secretsKey: SecretsKey | undefined;
  try {
    await migrated;
    secretsKey = await config.secretsKey();
    /* A database that is unavailable again does not end the role: `problem` checks it again. */
    const problem = await unreadable().catch(() => undefined);
    if (problem !== undefined)
      log.error({ problem }, 'webhooks cannot be decrypted; their alerts are not sent');
  } catch (error) {
    await close();
    throw error;
  }
  const mailer = createMailer(config.mail);
  const bounded = new BoundedLog(log);
  const alertMessage = alertMessages(database, mailer, secretsKey);
  const prepare = { webhook: alertMessage, mail: alertMessage, report: reportMessages(reports, mailer) };
  const sender = startSender(database, prepare, bounded, context.metrics);
  const working = [
    ...startWork(database, reports, bounded, context),
    ...startReports(reports, config.mail !== undefined, failing(bounded, 'reports not queued')),
    repeat(intervals.sending, () => sender.sendDue(), failing(bounded, 'messages not sent')),
  ];
  return {
    ready: {},
    problem: async () =>
      (await canRead(database, ['alert', 'alert_target']))
        ? await unreadable().catch(() => undefined)
        : 'alerts cannot be read from the database',
    close: async () => {
      await Promise.all(working.map((one) => one.close()));
      await sender.close();
      mailer.close();
      await close();
    },
  };
}

/** Reports and searches take long, and have connections of their own, so that alerts never wait for them. */
function connectTo(url: string) {
  const database = connect(url, {
    applicationName: 'visitor-counter alerts',
    maxConnections: 3,
    statementTimeout: 10_000,
    queryDeadline: 11_000,
  });
  const reports = connect(url, {
    applicationName: 'visitor-counter reports',
    maxConnections: 7,
    statementTimeout: 30_000,
    queryDeadline: 31_000,
  });
  const close = () => Promise.all([database.close(), reports.close()]);
  return { database, reports, close };
}

const failing = (log: BoundedLog, message: string) => (error: unknown) =>
  log.write('warn', errorFields(error), message);

function startSender(database: Database, prepare: Prepare, log: BoundedLog, metrics: Metrics): Sender {
  const count = countAttempts(metrics);
  return new Sender({
    database,
    prepare,
    onAttempt: (channel, about, problem) => {
      count(problem);
      const what = channel === 'report' ? 'report' : 'alert';
      if (problem === undefined) log.write('info', about, `${what} sent`);
      else log.write('warn', { ...about, problem }, `${what} not sent`);
    },
    onError: failing(log, 'messages not sent'),
  });
}

/** Starts to evaluate, to remove what is old, and to watch the fleet. */
function startWork(
  database: Database,
  { kysely: searched }: Database,
  bounded: BoundedLog,
  { databaseUrl, log, metrics }: RoleContext,
) {
  const record = evaluationMetrics(metrics);
  const onEvaluated = (evaluated: Evaluated) => {
    record(evaluated);
    if (evaluated.raised + evaluated.cleared > 0) log.info(evaluated, 'alerts');
  };
  const removeOld = () => removeOldAlerts(database.kysely);
  return [
    startEvaluation(databaseUrl, searched, onEvaluated, failing(bounded, 'alert rules not evaluated')),
    repeat(intervals.removing, removeOld, failing(bounded, 'old alerts not removed')),
    watchFleet(database, metrics, failing(bounded, 'state of units and database not read')),
  ];
}

function webhookProblem(count: number, key: SecretsKey | undefined): string | undefined {
  if (count === 0) return undefined;
  const reason = key ? 'not the key that they were encrypted with' : 'not set';
  return `${count} of the webhooks cannot be decrypted: SECRETS_KEY is ${reason}`;
}

/** The metrics of evaluations. Returns a function that records one. */
function evaluationMetrics(metrics: Metrics): (evaluated: Evaluated) => void {
  let open = 0;
  const help = 'Evaluations of the alert rules.';
  const count = addCounter(metrics, 'visitor_counter_alert_evaluations_total', help);
  addGauge(metrics, 'visitor_counter_alerts_open', 'Open alerts.', () => open);
  return (evaluated) => {
    count();
    open = evaluated.open;
  };
}

/** A metric of attempts to send. Returns a function that counts one, with its problem if there was one. */
function countAttempts(metrics: Metrics): (problem: string | undefined) => void {
  const help = 'Attempts to send an alert message or a report, by result.';
  const count = addCounters(metrics, 'visitor_counter_alert_messages_total', help, 'result', [
    'sent',
    'failed',
  ]);
  return (problem) => count(problem === undefined ? 'sent' : 'failed');
}
