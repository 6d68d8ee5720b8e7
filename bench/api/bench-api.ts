import { below, type Figure, type Measured, once, ratio, showProgress } from '../shared/report.ts';
import { startMadeServer } from './made-server.ts';
import { type ExportRound, measureExport } from './measure-export.ts';
import { measureSmall } from './measure-small.ts';
import { measureToday } from './measure-today.ts';
import { measureVisitors } from './measure-visitors.ts';
import { busyToday, history, months, today, years } from './workload.ts';

export interface ApiBenchOptions {
  readonly rounds: number;
  /** Creates the databases and measures nothing. */
  readonly prepare?: boolean;
}

/** Measures the api and its lower bounds, on crossings that are created once and reused. */
export async function benchApi({ rounds, prepare }: ApiBenchOptions): Promise<Measured> {
  await using server = await startMadeServer();
  const urls = {
    history: await server.database(history),
    today: await server.database(today),
    busyToday: await server.database(busyToday),
    years: await server.database(years),
    months: await server.database(months),
  };
  if (prepare) return { figures: [], targets: [], skipped: ['all: this run only fills databases'] };
  const exports: ExportRound[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    showProgress(`round ${round} of ${rounds}`);
    exports.push(await measureExport(urls.history));
  }
  showProgress('small ranges, today, and visitors');
  const small = await measureSmall(urls.history);
  const quiet = await measureToday(urls.today);
  const busy = await measureToday(urls.busyToday);
  const visitors = await measureVisitors(urls);
  const figures = figuresOf(exports);
  return {
    figures: [
      ...Object.values(figures),
      once('days of one device, 1,000 events each', 'requests/s', small.rate),
      once('  p99', 'ms', small.p99),
      once('today of 1,000 stores, 2 million crossings, p50', 'ms', quiet.p50),
      once('  p99', 'ms', quiet.p99),
      once('today of 1,000 stores, 20 million crossings, p50', 'ms', busy.p50),
      once('  p99', 'ms', busy.p99),
      once('visitors of a store by day, a year next to the year before', 'ms', visitors.year),
      once('visitors of 1,000 stores, a month next to the month before', 'ms', visitors.month),
    ],
    targets: [
      below('a million as JSON : raw COPY', ratio(figures.json, figures.copy), '', 1.5),
      below('memory of the api', Math.max(...figures.memory.values), 'MB', 64),
      below('first byte, whatever the length', Math.max(...figures.firstByteOfAll.values), 'ms', 100),
      below('today, p99', quiet.p99, 'ms', 15),
      below('today at ten times the crossings, p99', busy.p99, 'ms', 15),
      below('visitors of a store by day in a year', visitors.year, 'ms', 100),
      below('visitors of 1,000 stores in a month', visitors.month, 'ms', 300),
    ],
  };
}

function figuresOf(rounds: readonly ExportRound[]) {
  const of = (name: string, unit: string, key: keyof ExportRound): Figure => ({
    name,
    unit,
    values: rounds.map((round) => round[key]),
  });
  return {
    copy: of('a million by raw binary COPY', 'ms', 'copy'),
    json: of('a million as JSON over HTTP', 'ms', 'json'),
    gzip: of('a million as JSON over HTTP, gzip', 'ms', 'gzip'),
    memory: of('more memory of the api', 'MB', 'memory'),
    firstByteOfDay: of('first byte of a day, slowest of ten', 'ms', 'firstByteOfDay'),
    firstByteOfAll: of('first byte of 10 million, slowest of ten', 'ms', 'firstByteOfAll'),
  };
}
