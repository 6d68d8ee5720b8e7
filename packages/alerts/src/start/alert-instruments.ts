import { addCounter, addGauge, addTotal, type Metrics } from '@visitor-counter/service/metrics';
import type { Evaluated } from '../rules/evaluate.ts';

export interface AlertInstruments {
  evaluated(facts: Evaluated): void;
  /** An attempt to send, with the problem if there was one. */
  attempted(problem: string | undefined): void;
}

/** What an operator sees of alerts. */
export function alertInstruments(registry: Metrics): AlertInstruments {
  let evaluations = 0;
  let open = 0;
  const attempts = { sent: 0, failed: 0 };
  addTotal(
    registry,
    'visitor_counter_alert_evaluations_total',
    'Evaluations of the alert rules.',
    () => evaluations,
  );
  addGauge(registry, 'visitor_counter_alerts_open', 'Open alerts.', () => open);
  addCounter(
    registry,
    'visitor_counter_alert_messages_total',
    'Attempts to send an alert message, by result.',
    'result',
    () => Object.entries(attempts),
  );
  return {
    evaluated: (facts) => {
      evaluations += 1;
      open = facts.open;
    },
    attempted: (problem) => {
      attempts[problem === undefined ? 'sent' : 'failed'] += 1;
    },
  };
}
