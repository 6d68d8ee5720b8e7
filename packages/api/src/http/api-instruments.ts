import { addCounter, addGauge, type Metrics, NamedTotals } from '@visitor-counter/service/metrics';
import { Counter, Gauge, Histogram } from 'prom-client';

/** The metrics of the api. */
export interface ApiInstruments {
  /** Counts a request that begins. The function it returns must be called when the answer has ended. */
  begun(page: string): (end: AnswerEnd) => void;
  /** A problem was answered. */
  problem(code: string): void;
  /** A credential of this kind was refused. */
  credentialRefused(kind: string): void;
  /** Adds gauges of the running parts; called once. */
  watch(watched: Watched): void;
}

/**
 * The class of the status, or `broken` for an answer that did not get through whole: it failed on its way, or
 * the caller left.
 */
export type AnswerEnd = '1xx' | '2xx' | '3xx' | '4xx' | '5xx' | 'broken';

/** What a scrape reads from the running parts. */
export interface Watched {
  /** Ranges that are being read, and those that wait for a slot. */
  readonly exports: () => { readonly running: number; readonly waiting: number };
  readonly pool: () => {
    readonly totalCount: number;
    readonly idleCount: number;
    readonly waitingCount: number;
  };
}

/** A page of today is milliseconds; a range may take as long as its caller takes to read it. */
const secondBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export function apiInstruments(registry: Metrics): ApiInstruments {
  const registers = [registry];
  const name = (rest: string) => `visitor_counter_api_${rest}`;
  const requests = new Counter({
    ...{
      name: name('requests_total'),
      help: 'Requests, by operation and by how the answer ended.',
      registers,
    },
    labelNames: ['page', 'end'],
  });
  const seconds = new Histogram({
    ...{ name: name('request_seconds'), help: 'Time from a request to the end of its answer.', registers },
    labelNames: ['page'],
    buckets: secondBuckets,
  });
  const inFlight = new Gauge({
    name: name('requests_in_flight'),
    help: 'Requests not yet answered.',
    registers,
  });
  const problems = new NamedTotals([]);
  const refused = new NamedTotals(['counts', 'life-signal', 'staff']);
  const problemHelp = 'Problem records answered, by code.';
  addCounter(registry, name('problems_total'), problemHelp, 'code', () => problems.entries());
  const refusedHelp = 'Credentials refused, by kind.';
  addCounter(registry, name('credentials_refused_total'), refusedHelp, 'kind', () => refused.entries());
  return {
    begun: (page) => {
      inFlight.inc();
      const took = seconds.startTimer({ page });
      return (end) => {
        inFlight.dec();
        took();
        requests.inc({ page, end });
      };
    },
    problem: (code) => problems.add(code),
    credentialRefused: (kind) => refused.add(kind),
    watch: (watched) => watch(registry, watched),
  };
}

function watch(registry: Metrics, { exports, pool }: Watched): void {
  const gauge = (name: string, help: string, read: () => number) =>
    addGauge(registry, `visitor_counter_api_${name}`, help, read);
  gauge('exports_running', 'Date ranges being read.', () => exports().running);
  gauge('exports_waiting', 'Requests for a date range that wait for a slot.', () => exports().waiting);
  gauge('database_connections', 'Connections to the database.', () => pool().totalCount);
  gauge('database_idle', 'Idle connections to the database.', () => pool().idleCount);
  gauge(
    'database_waiting',
    'Requests that wait for a connection to the database.',
    () => pool().waitingCount,
  );
}
