import { removeOldAlerts } from '@visitor-counter/database/alerts/open-alerts';
import type { SecretsKey } from '@visitor-counter/database/secrets/secrets-key';
import { unreadableWebhooks } from '@visitor-counter/database/secrets/webhooks';
import { canRead, connect } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { addGauge, addTotal, type Metrics } from '@visitor-counter/service/metrics';
import { repeat } from '@visitor-counter/service/repeat';
import type { RoleContext, RunningRole } from '@visitor-counter/service/roles';
import type { AlertsConfig } from './config.ts';
import { countAttempts } from './delivery/deliverer.ts';
import { createMailer } from './delivery/mailer.ts';
import { alertDeliverer } from './delivery/send-alert.ts';
import { watchFleet } from './fleet/watch-fleet.ts';
import { startReports } from './reports/reporter.ts';
import type { Evaluated } from './rules/evaluate.ts';
import { startEvaluation } from './rules/start-evaluation.ts';

/** Pauses between searches for due messages, and for old alerts (ms). */
const intervals = { delivering: 250, removing: 3_600_000 };

/**
 * Starts to evaluate the alert rules of companies, to deliver alerts, and to mail reports. Any number of processes may
 * do this: a lock and claims in the database divide the work.
 */
export async function startAlerts(
  config: AlertsConfig,
  { databaseUrl, migrated, log, metrics }: RoleContext,
): Promise<RunningRole> {
  const database = connect(databaseUrl, {
    applicationName: 'visitor-counter alerts',
    maxConnections: 3,
    statementTimeout: 10_000,
    queryDeadline: 11_000,
  });
  const record = evaluationMetrics(metrics);
  const count = countAttempts(
    metrics,
    'visitor_counter_alert_messages_total',
    'Attempts to send an alert message, by result.',
  );
  const bounded = new BoundedLog(log);
  const mailer = createMailer(config.mail);
  const failed = (message: string) => (error: unknown) => bounded.write('warn', errorFields(error), message);
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
    await database.close();
    throw error;
  }
  const deliverers = (['webhook', 'mail'] as const).map((targetKind) =>
    alertDeliverer({
      targetKind,
      database,
      mailer,
      secretsKey,
      onAttempt: ({ alertId, phase, kind, target }, problem) => {
        count(problem);
        const about = { alert: alertId, phase, kind, target: target.label };
        if (problem === undefined) log.info(about, 'alert sent');
        else bounded.write('warn', { ...about, problem }, 'alert not sent');
      },
      onError: failed('alerts not sent'),
    }),
  );
  const evaluating = startEvaluation(
    databaseUrl,
    (evaluated) => {
      record(evaluated);
      if (evaluated.raised + evaluated.cleared > 0) log.info(evaluated, 'alerts');
    },
    failed,
  );
  const delivering = deliverers.map((deliverer) =>
    repeat(intervals.delivering, () => deliverer.sendDue(), failed('alerts not sent')),
  );
  const removing = repeat(
    intervals.removing,
    () => removeOldAlerts(database.kysely),
    failed('old alerts not removed'),
  );
  const watching = watchFleet(database, metrics, failed('state of units and database not read'));
  const reports = startReports(mailer, config.mail !== undefined, { databaseUrl, log, metrics });
  return {
    ready: {},
    problem: async () =>
      (await canRead(database, ['alert', 'alert_target']))
        ? await unreadable().catch(() => undefined)
        : 'alerts cannot be read from the database',
    close: async () => {
      const working = [evaluating, ...delivering, watching, removing];
      const stopped = Promise.all(working.map((one) => one.close()));
      const delivered = stopped.then(() => Promise.all(deliverers.map((deliverer) => deliverer.close())));
      await Promise.all([delivered, reports.close()]);
      mailer.close();
      await database.close();
    },
  };
}

function webhookProblem(count: number, key: SecretsKey | undefined): string | undefined {
  if (count === 0) return undefined;
  const reason = key ? 'not the key that they were encrypted with' : 'not set';
  return `${count} of the webhooks cannot be decrypted: SECRETS_KEY is ${reason}`;
}

/** The metrics of evaluations. Returns a function that records one. */
function evaluationMetrics(metrics: Metrics): (evaluated: Evaluated) => void {
  let evaluations = 0;
  let open = 0;
  const help = 'Evaluations of the alert rules.';
  addTotal(metrics, 'visitor_counter_alert_evaluations_total', help, () => evaluations);
  addGauge(metrics, 'visitor_counter_alerts_open', 'Open alerts.', () => open);
  return (evaluated) => {
    evaluations += 1;
    open = evaluated.open;
  };
}
