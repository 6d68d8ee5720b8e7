import { addGauge, type Metrics } from '@visitor-counter/service/metrics';
import { Gauge } from 'prom-client';

/** Notes how many crossings a device has recorded that are not acknowledged. */
export type NoteBacklog = (serial: string, pending: number) => void;

/** The most devices with a series of their own: those that have most to deliver. */
const maxSeries = 200;

/** How long a report counts (ms): several heartbeats; then the device is elsewhere, or silent. */
const lifetime = 5 * 60_000;

interface Report {
  readonly pending: number;
  readonly at: number;
}

/** What units say in their heartbeats that they still have to deliver; only of those that have something. */
export class Backlog {
  readonly #reports = new Map<string, Report>();

  note(serial: string, pending: number, now = Date.now()): void {
    this.#reports.delete(serial);
    if (pending > 0) this.#reports.set(serial, { pending, at: now });
  }

  /** The devices with most to deliver first; what has grown old is forgotten. */
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

/** Shows the backlog: its sum, its largest, how many devices have one, and the largest of them by serial. */
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
    help: `Crossings that a unit has recorded and not delivered; the ${maxSeries} largest.`,
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
