import { findDatabase } from '@visitor-counter/database/embedded/find-database';
import { migrateWhenUp } from '@visitor-counter/database/migrations/migrate-when-up';
import { connect } from '@visitor-counter/database/sql/connect';
import { isDatabaseAway, reasonOf } from '@visitor-counter/database/sql/unavailable';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Environment } from '@visitor-counter/service/environment';
import type { Logger } from '@visitor-counter/service/logger';
import { createMetrics } from '@visitor-counter/service/metrics';
import type { Running } from '@visitor-counter/service/run-service';
import { Deliverer } from '../delivery/deliverer.ts';
import { createMailer } from '../delivery/mailer.ts';
import { evaluate } from '../rules/evaluate.ts';
import { alertInstruments } from './alert-instruments.ts';
import { readConfig } from './config.ts';
import { repeat } from './repeat.ts';
import { startOperatorPages } from './start-operator-pages.ts';

/** How often it is looked for what is to be told, and for what is to be sent (ms). */
const intervals = { evaluating: 1_000, delivering: 250 };

/** Starts telling companies what they want to be told. Any number of these may run: they take turns. */
export async function startAlerts(env: Environment, log: Logger, stopping: AbortSignal): Promise<Running> {
  const config = readConfig(env);
  const url = await findDatabase(env);
  const database = connect(url, {
    applicationName: 'visitor-counter alerts',
    maxConnections: 4,
    statementTimeout: 10_000,
    queryDeadline: 11_000,
  });
  const metrics = createMetrics({ ofProcess: true });
  const instruments = alertInstruments(metrics);
  const operator = await startOperatorPages(config, metrics, database, log);
  const bounded = new BoundedLog(log);
  const mailer = createMailer(config.mail);
  const failed = (message: string) => (error: unknown) =>
    bounded.write('warn', isDatabaseAway(error) ? { reason: reasonOf(error) } : { err: error }, message);
  try {
    await migrateWhenUp(url, log, stopping);
  } catch (error) {
    await operator.close();
    await database.close();
    throw error;
  }
  const deliverer = new Deliverer({
    database,
    mailer,
    onAttempt: ({ alertId, phase, kind, target }, problem) => {
      instruments.attempted(problem);
      const about = { alert: alertId, phase, kind, target: target.label };
      if (problem === undefined) log.info(about, 'alert sent');
      else bounded.write('warn', { ...about, problem }, 'alert not sent');
    },
    onError: failed('alerts not sent'),
  });
  const evaluating = repeat(intervals.evaluating, failed('alerts could not be decided on'), async () => {
    const evaluated = await evaluate(database);
    if (evaluated === undefined) return;
    instruments.evaluated(evaluated);
    if (evaluated.raised + evaluated.cleared > 0) log.info(evaluated, 'alerts');
  });
  const delivering = repeat(intervals.delivering, failed('alerts not sent'), async () => {
    await deliverer.sendDue();
  });
  return {
    ready: { metricsPort: operator.port },
    close: async () => {
      await Promise.all([evaluating.stop(), delivering.stop()]);
      await deliverer.close();
      mailer.close();
      await operator.close();
      await database.close();
    },
  };
}
