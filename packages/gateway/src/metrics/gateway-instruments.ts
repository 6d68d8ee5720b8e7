import { addCounter, addGauge, addTotal, type Metrics, NamedTotals } from '@visitor-counter/service/metrics';
import { backlogInstrument, type NoteBacklog } from './backlog.ts';
import { type IngestInstruments, ingestInstruments, type Load } from './ingest-instruments.ts';

/** Counts logins and refusals. The reasons are few and fixed: never text that a client chose. */
export interface AccessInstruments {
  loggedIn(): void;
  loginRefused(reason: string): void;
  /** A packet was refused, or a connection was closed because of one. */
  packetRefused(reason: string): void;
  /** A connection was refused by this limit before anything was read from it. */
  connectionRefused(limit: string): void;
}

/** Values that are read at each scrape. */
export interface Watched {
  readonly load: () => Load;
  readonly isReading: () => boolean;
  /** Sockets, logged in or not, and those in their TLS handshake. */
  readonly connections: () => number;
  /** Devices with changes of their state that are not written yet. */
  readonly unwrittenStates: () => number;
}

/** All metrics of the gateway. */
export interface GatewayInstruments {
  readonly ingest: IngestInstruments;
  readonly access: AccessInstruments;
  readonly noteBacklog: NoteBacklog;
  /** A write of device states has failed. */
  readonly statesFailed: () => void;
  /** Adds the gauges of the running parts; called once. */
  readonly watch: (watched: Watched) => void;
}

export function gatewayInstruments(registry: Metrics): GatewayInstruments {
  let stateFailures = 0;
  const failures = 'Failed attempts to write the states of devices.';
  addTotal(registry, 'visitor_counter_state_failures_total', failures, () => stateFailures);
  return {
    ingest: ingestInstruments(registry),
    access: accessInstruments(registry),
    noteBacklog: backlogInstrument(registry),
    statesFailed: () => {
      stateFailures += 1;
    },
    watch: (watched) => watch(registry, watched),
  };
}

function accessInstruments(registry: Metrics): AccessInstruments {
  let logins = 0;
  const refusedLogins = new NamedTotals(['not authorized', 'server unavailable', 'will', 'too slow']);
  const refusedPackets = new NamedTotals([
    ...['topic', 'QoS 2', 'retained', 'subscription', 'will'],
    ...['too large', 'malformed'],
  ]);
  const refusedConnections = new NamedTotals(['connections', 'connectionsPerAddress', 'pendingPerAddress']);
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
    loginRefused: (reason) => refusedLogins.add(reason),
    packetRefused: (reason) => refusedPackets.add(reason),
    connectionRefused: (limit) => refusedConnections.add(limit),
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
