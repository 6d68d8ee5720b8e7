import { addExpiryGauge } from '@visitor-counter/service/certificates';
import { addCounter, addCounters, addGauge, type Metrics } from '@visitor-counter/service/metrics';
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
  const failures = 'Failed attempts to write the states of devices.';
  return {
    ingest: ingestInstruments(registry),
    access: accessInstruments(registry),
    recordPending: pendingInstrument(registry),
    statesFailed: addCounter(registry, 'visitor_counter_state_failures_total', failures),
    /** Adds the gauges of the running parts; called once. */
    watch: (watched: Watched) => watch(registry, watched),
  };
}

function accessInstruments(registry: Metrics) {
  const refusals = <Reason extends string>(name: string, help: string, reasons: readonly Reason[]) =>
    addCounters(registry, `visitor_counter_${name}_refused_total`, help, 'reason', reasons);
  return {
    loggedIn: addCounter(registry, 'visitor_counter_logins_total', 'Logins of units.'),
    loginRefused: refusals('logins', 'Logins refused, by reason.', [
      'not authorized',
      'server unavailable',
      'will',
      'too slow',
    ]),
    /** A packet was refused, or a connection was closed because of one. */
    packetRefused: refusals('packets', 'Packets refused before or after login, by reason.', [
      'topic',
      'QoS 2',
      'retained',
      'subscription',
      'will',
      'too large',
      'malformed',
    ]),
    /** A connection was refused by this limit before anything was read from it. */
    connectionRefused: refusals('connections', 'Connections refused because of a limit, by limit.', [
      'connections',
      'connectionsPerAddress',
    ]),
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
