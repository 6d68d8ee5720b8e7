import { advanceProgress, type JournalProgress } from '@visitor-counter/database/coverage/advance-progress';
import { recordShortJournal } from '@visitor-counter/database/coverage/cloned-journals';
import { updateCoverage } from '@visitor-counter/database/coverage/update-coverage';
import type { Database } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { type JournalReport, merge } from './journal-report.ts';

interface JournalCoverageOptions {
  readonly pool: Database['pool'];
  readonly log: BoundedLog;
}

/** How long reports are collected before they are processed (ms). */
const gatherFor = 50;

/** The most journals that are collected; further reports are dropped, and repeated by the next heartbeat. */
const limit = 20_000;

/** Journals in one statement. */
const chunk = 2_000;

/**
 * Compares the acknowledged sequences of units with those that are stored, rejected or declared lost. One statement looks up
 * all journals of a round; in addition, new sequences cost time in proportion to their number. Missing ranges are written to
 * the database, where readers and other gateways find them. Nothing from the database is cached between rounds, because it
 * may be restored between them.
 */
export class JournalCoverage {
  readonly #options: JournalCoverageOptions;
  #reports = new Map<string, JournalReport>();
  #gathering: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: JournalCoverageOptions) {
    this.#options = options;
  }

  /** Adds a report to the next round. */
  add(report: JournalReport): void {
    const key = keyOf(report);
    const known = this.#reports.get(key);
    if (this.#isClosed || (known === undefined && this.#reports.size >= limit)) return;
    this.#reports.set(key, known ? merge(known, report) : report);
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
        await this.#round(reports.slice(start, start + chunk)).catch((error) =>
          this.#options.log.write('warn', errorFields(error), 'journals not compared with the database'),
        );
      }
    }
    this.#running = undefined;
  }

  async #round(reports: readonly JournalReport[]): Promise<void> {
    const { pool } = this.#options;
    const progress = await advanceProgress(
      pool,
      reports.map(({ deviceId, journal, acknowledged }) => ({
        deviceId,
        journal,
        upTo: acknowledged,
      })),
    );
    const known = new Map(progress.map((one) => [keyOf(one), one]));
    for (const report of reports) await this.#compare(report, known.get(keyOf(report)));
  }

  async #compare(report: JournalReport, known: JournalProgress | undefined): Promise<void> {
    const { acknowledged, lost, recorded } = report;
    if (known && recorded && recorded.last < known.before) {
      const { deviceId, journal } = report;
      await recordShortJournal(this.#options.pool, {
        deviceId,
        journal,
        recorded: recorded.last,
        at: recorded.at,
      });
    }
    /* A journal without stored or acknowledged crossings need not be in the database. */
    if (known === undefined && acknowledged === 0) return;
    const { through, checked, more } = known ?? { through: 0, checked: 0, more: false };
    const isIncomplete = acknowledged > checked && !more;
    const hasLost = lost.some(({ last }) => last > through);
    if (isIncomplete || hasLost) await this.#account(report);
    else if (more) this.#repeat(report);
  }

  async #account(report: JournalReport): Promise<void> {
    const { serial, journal } = report;
    const accounted = await updateCoverage(this.#options.pool, report);
    if (accounted === undefined) return;
    const { missing, lost, lostUnseen, more } = accounted;
    if (missing > 0 || lost > 0) {
      this.#options.log.write(
        'warn',
        { serial, journal, missing, lost },
        'crossings missing in the database',
      );
    }
    if (more) this.#repeat({ ...report, lost: lostUnseen });
  }

  /** Processes a report again in the next round. */
  #repeat(report: JournalReport): void {
    if (this.#isClosed) return;
    const key = keyOf(report);
    const newer = this.#reports.get(key);
    this.#reports.set(key, newer ? merge(report, newer) : report);
  }
}

function keyOf({ deviceId, journal }: { readonly deviceId: number; readonly journal: string }): string {
  return `${deviceId} ${journal}`;
}
