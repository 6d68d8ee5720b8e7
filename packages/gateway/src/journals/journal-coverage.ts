import { updateCoverage } from '@visitor-counter/database/coverage/update-coverage';
import type { Database } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { JournalReport } from './journal-report.ts';

/** How long reports are collected before they are processed (ms). */
const gatherFor = 50;

/** The most journals that are collected; further reports are dropped, and repeated by the next heartbeat. */
const limit = 20_000;

/** Journals in one statement. */
const chunk = 500;

/**
 * Compares what units report as acknowledged or lost with what is stored. Missing ranges are written to the database, where
 * readers and other gateways find them. Nothing is cached between rounds, because the database may be restored between them.
 */
export class JournalCoverage {
  readonly #db: Database['kysely'];
  readonly #log: BoundedLog;
  #reports = new Map<string, JournalReport>();
  #gathering: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(db: Database['kysely'], log: BoundedLog) {
    this.#db = db;
    this.#log = log;
  }

  /** Adds a report to the next round; it replaces an earlier one about the same journal: heartbeats repeat everything. */
  add(report: JournalReport): void {
    const key = keyOf(report);
    if (this.#isClosed || (!this.#reports.has(key) && this.#reports.size >= limit)) return;
    this.#reports.set(key, report);
    if (this.#running) return;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#running ??= this.#run();
    }, gatherFor);
  }

  /** Ends after the current round. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#gathering);
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#reports.size > 0) {
      const reports = [...this.#reports.values()];
      this.#reports = new Map();
      for (let start = 0; start < reports.length; start += chunk) {
        await compareJournals(this.#db, this.#log, reports.slice(start, start + chunk)).catch((error) =>
          this.#log.write('warn', errorFields(error), 'journals not compared with the database'),
        );
      }
    }
    this.#running = undefined;
  }
}

function keyOf({ deviceId, journal }: Pick<JournalReport, 'deviceId' | 'journal'>): string {
  return `${deviceId} ${journal}`;
}

/** Compares journals with what is stored, and logs which gaps were found, and which are filled. */
export async function compareJournals(
  db: Database['kysely'],
  log: BoundedLog,
  reports: readonly JournalReport[],
): Promise<void> {
  const serials = new Map(reports.map(({ deviceId, serial }) => [deviceId, serial]));
  for (const { deviceId, journal, missing, before, lost } of await updateCoverage(db, reports)) {
    const about = { serial: serials.get(deviceId), journal };
    if (lost > 0) log.write('error', { ...about, lost }, 'crossings lost: the unit no longer has them');
    if (missing > before) log.write('warn', { ...about, missing }, 'crossings missing in the database');
    if (missing === 0 && before > 0) log.write('info', about, 'no crossings missing any more');
  }
}
