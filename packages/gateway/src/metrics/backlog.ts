import { addGauge, type Metrics } from '@visitor-counter/service/metrics';
import { Gauge } from 'prom-client';

/** Records how many crossings of a device are pending: journaled, not yet acknowledged. */
export type NoteBacklog = (serial: string, pending: number) => void;

/** Devices with a series of their own: those with the most pending crossings. */
const maxSeries = 200;

/** How long a report is valid (ms): several heartbeats. After that the device is silent or at another gateway. */
const lifetime = 5 * 60_000;

interface Report {
  readonly pending: number;
  readonly at: number;
}

/** The pending crossings that units report in their heartbeats; only units that have some. */
export class Backlog {
  readonly #reports = new Map<string, Report>();

  note(serial: string, pending: number, now = Date.now()): void {
    this.#reports.delete(serial);
    if (pending > 0) this.#reports.set(serial, { pending, at: now });
  }

  /** All reports, the largest first, without expired ones. */
  largest(now = Date.now()): [serial: string, pending: number][] {
    for (const [serial, { at }] of this.#reports) {
      /* The oldest report is the first. */
      if (at >= now - lifetime) break;
      this.#reports.delete(serial);
    }
    return [...this.#reports]
      .map(([serial, { pending }]): [string, number] => [serial, pending])
      .sort(([, a], [, b]) => b - a);
  }
}

/** Adds the gauges of pending crossings: sum, maximum, number of devices, and the largest by serial. */
export function backlogInstrument(registry: Metrics): NoteBacklog {
  const backlog = new Backlog();
  const gauge = (name: string, help: string, read: (largest: [string, number][]) => number) =>
    addGauge(registry, `visitor_counter_pending_${name}`, help, () => read(backlog.largest()));
  gauge('crossings_sum', 'Pending crossings of all units.', (all) =>
    all.reduce((sum, [, pending]) => sum + pending, 0),
  );
  gauge('crossings_max', 'Largest number of pending crossings of one unit.', ([first]) => first?.[1] ?? 0);
  gauge('devices', 'Units with pending crossings.', ({ length }) => length);
  new Gauge({
    name: 'visitor_counter_pending_crossings',
    help: `Pending crossings by unit; the ${maxSeries} largest.`,
    labelNames: ['serial'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [serial, pending] of backlog.largest().slice(0, maxSeries)) {
        this.set({ serial }, pending);
      }
    },
  });
  return (serial, pending) => backlog.note(serial, pending);
}
