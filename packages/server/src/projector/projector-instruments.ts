import type { Round } from '@visitor-counter/database/projection/run-round';
import { addTotal, type Metrics } from '@visitor-counter/service/metrics';
import { Histogram } from 'prom-client';

const secondBuckets = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60];

/** Returns what observes rounds of the projector. */
export function projectorInstruments(registry: Metrics): (round: Round) => void {
  let composed = 0;
  let read = 0;
  const lag = new Histogram({
    name: 'visitor_counter_projection_lag_seconds',
    help: 'From the writing of a change record until its occupancy is visible, of the oldest record of each round.',
    buckets: secondBuckets,
    registers: [registry],
  });
  addTotal(registry, 'visitor_counter_projection_composed_total', 'Quarter hours continued.', () => composed);
  const readHelp = 'Quarter hours whose crossings were read again, because they did not arrive in order.';
  addTotal(registry, 'visitor_counter_projection_read_total', readHelp, () => read);
  return (round) => {
    composed += round.composed;
    read += round.read;
    if (round.since !== undefined) lag.observe(Math.max(0, Date.now() - round.since) / 1_000);
  };
}
