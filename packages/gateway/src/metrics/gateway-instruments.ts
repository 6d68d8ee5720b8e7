import { addExpiryGauge } from '@visitor-counter/service/certificates';
import { addCounter, addGauge, addTotal, type Metrics, NamedTotals } from '@visitor-counter/service/metrics';
import { LRUCache } from 'lru-cache';
import { ingestInstruments, type Load } from './ingest-instruments.ts';

/** Counts logins and refusals. The reasons are few and fixed: never text that a client chose. */
export type AccessInstruments = ReturnType<typeof accessInstruments>;

/** Values that are read at each scrape. */
interface Watched {
  readonly load: () => Load;
  readonly isReading: () => boolean;
  /** Sockets, logged in or not, and those in their TLS handshake. */
  readonly connections: () => number;
  /** Devices with changes of their state that are not written yet. */
  readonly unwrittenStates: () => number;
}

/** All metrics of the gateway. */
export type GatewayInstruments = ReturnType<typeof gatewayInstruments>;

export function gatewayInstruments(registry: Metrics) {
  let stateFailures = 0;
  const failures = 'Failed attempts to write the states of devices.';
  addTotal(registry, 'visitor_counter_state_failures_total', failures, () => stateFailures);
  return {
    ingest: ingestInstruments(registry),
    access: accessInstruments(registry),
    recordPending: pendingInstrument(registry),
    statesFailed: () => {
      stateFailures += 1;
    },
    /** Adds the gauges of the running parts; called once. */
    watch: (watched: Watched) => watch(registry, watched),
  };
}

function accessInstruments(registry: Metrics) {
  let logins = 0;
  const refusedLogins = new NamedTotals(['not authorized', 'server unavailable', 'will', 'too slow']);
  const refusedPackets = new NamedTotals([
    'topic',
    'QoS 2',
    'retained',
    'subscription',
    'will',
    'too large',
    'malformed',
  ]);
  const refusedConnections = new NamedTotals(['connections', 'connectionsPerAddress']);
  addTotal(registry, 'visitor_counter_logins_total', 'Logins of units.', () => logins);
  const counter = (name: string, help: string, totals: NamedTotals) =>
    addCounter(registry, `visitor_counter_${name}`, help, 'reason', () => totals.entries());
  counter('logins_refused_total', 'Logins refused, by reason.', refusedLogins);
  counter('packets_refused_total', 'Packets refused before or after login, by reason.', refusedPackets);
  counter(
    'connections_refused_total',
    'Connections refused because of a limit, by limit.',
    refusedConnections,
  );
  return {
    loggedIn: () => {
      logins += 1;
    },
    loginRefused: (reason: string) => refusedLogins.add(reason),
    /** A packet was refused, or a connection was closed because of one. */
    packetRefused: (reason: string) => refusedPackets.add(reason),
    /** A connection was refused by this limit before anything was read from it. */
    connectionRefused: (limit: string) => refusedConnections.add(limit),
    /** Certificates that expire at this instant (Unix time, s) are in use. */
    certificatesUsed: addExpiryGauge(registry, 'visitor_counter_certificate_expires_seconds'),
  };
}

function watch(registry: Metrics, { load, isReading, connections, unwrittenStates }: Watched): void {
  const gauge = (name: string, help: string, read: () => number) =>
    addGauge(registry, `visitor_counter_${name}`, help, read);
  gauge(
    'connections',
    'Open connections, including those that are not logged in yet or are in their TLS handshake.',
    connections,
  );
  gauge('queue_messages', 'Messages received and not committed yet.', () => load().messages);
  gauge('queue_crossings', 'Crossings received and not committed yet.', () => load().crossings);
  gauge('queue_bytes', 'Estimated memory of messages that are not committed yet.', () => load().bytes);
  gauge('reading', '1, or 0 while nothing is read from clients because too much is pending.', () =>
    Number(isReading()),
  );
  gauge('unwritten_states', 'Devices whose last activity is not written yet.', unwrittenStates);
}

/** Records how many crossings of a device are pending: journaled, not yet acknowledged. */
type RecordPending = (serial: string, pending: number) => void;

/** How long a report is valid (ms): several heartbeats. After that the device is silent or at another gateway. */
const lifetime = 5 * 60_000;

/** Units whose reports are remembered. */
const mostReports = 20_000;

/** Adds the gauges of pending crossings: sum, maximum and number of devices. */
function pendingInstrument(registry: Metrics): RecordPending {
  const units = new LRUCache<string, number>({ max: mostReports, ttl: lifetime });
  const gauge = (name: string, help: string, read: (pending: number[]) => number) =>
    addGauge(registry, `visitor_counter_pending_${name}`, help, () => {
      units.purgeStale();
      return read([...units.values()]);
    });
  gauge('crossings_sum', 'Pending crossings of all units.', (all) => all.reduce((sum, one) => sum + one, 0));
  gauge('crossings_max', 'Largest number of pending crossings of one unit.', (all) => Math.max(0, ...all));
  gauge('devices', 'Units with pending crossings.', ({ length }) => length);
  return (serial, pending) => {
    if (pending > 0) units.set(serial, pending);
    else units.delete(serial);
  };
}
