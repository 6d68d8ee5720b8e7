import { type DatabaseState, readDatabaseState } from '@visitor-counter/database/fleet/database-state';
import { type FleetState, readFleetState } from '@visitor-counter/database/fleet/fleet-state';
import type { Database } from '@visitor-counter/database/sql/connect';
import { addGauge, addGauges, type Metrics } from '@visitor-counter/service/metrics';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';

/** Pause between two readings (ms). */
const interval = 15_000;

/** How long a reading is shown (ms). After that its gauges have no samples: old numbers would hide a failure. */
const lifetime = 60_000;

interface Reading {
  readonly fleet: FleetState;
  readonly database: DatabaseState;
  /** From `performance.now()`. */
  readonly at: number;
}

/**
 * Reads the state of all devices and of the database periodically, and shows it as gauges. Every process with this role
 * shows the same numbers. A scrape reads nothing itself, so scrapes never wait for the database.
 */
export function watchFleet(
  { kysely }: Database,
  registry: Metrics,
  onError: (error: unknown) => void,
): Repetition {
  let last: Reading | undefined;
  const current = () => (last !== undefined && performance.now() - last.at < lifetime ? last : undefined);
  addFleetGauges(registry, () => current()?.fleet);
  addDatabaseGauges(registry, () => current()?.database);
  return repeat(
    interval,
    async () => {
      const [fleet, database] = [await readFleetState(kysely), await readDatabaseState(kysely)];
      last = { fleet, database, at: performance.now() };
    },
    onError,
  );
}

function addFleetGauges(registry: Metrics, fleet: () => FleetState | undefined): void {
  const gauge = gaugesOf(registry, fleet);
  const inUse = 'Devices in use, by connection.';
  addGauges(registry, 'visitor_counter_devices', inUse, 'state', () =>
    Object.entries(fleet()?.devices ?? {}),
  );
  const trouble = 'Devices in use that have a trouble, by trouble.';
  addGauges(registry, 'visitor_counter_devices_in_trouble', trouble, 'trouble', () =>
    Object.entries(fleet()?.troubles ?? {}),
  );
  gauge(
    'unit_clock_ahead_seconds',
    'By how much the clocks of units are ahead of the server; the median.',
    (state) => state.clockAhead,
  );
  gauge('crossings_missing', 'Acknowledged crossings that are not stored.', ({ missing }) => missing);
  gauge('crossings_lost', 'Crossings that were found lost in the last 24 hours.', ({ lost }) => lost);
  gauge('rejected_messages', 'Rejected messages that are stored.', ({ rejected }) => rejected);
  gauge(
    'rejected_messages_max',
    'Rejected messages of the device that has most; at 10000 its crossings wait.',
    ({ mostRejected }) => mostRejected,
  );
}

function addDatabaseGauges(registry: Metrics, database: () => DatabaseState | undefined): void {
  const gauge = gaugesOf(registry, database);
  gauge(
    'projection_pending_seconds',
    'How long ago the oldest change was written that occupancy does not contain.',
    ({ projectionPending }) => projectionPending,
  );
  gauge(
    'storing_seen_seconds',
    'When a gateway last could store messages (Unix time).',
    ({ storingSeenAt }) => storingSeenAt,
  );
  gauge('backup_taken_seconds', 'When the last backup was taken (Unix time).', ({ backupAt }) => backupAt);
}

/** Returns a function that adds a gauge of a part of a state; it has no sample while that is not known. */
function gaugesOf<State>(registry: Metrics, current: () => State | undefined) {
  return (name: string, help: string, read: (state: State) => number | null) =>
    addGauge(registry, `visitor_counter_${name}`, help, () => {
      const state = current();
      return state === undefined ? undefined : (read(state) ?? undefined);
    });
}
