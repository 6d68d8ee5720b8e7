import { advanceProgress, type JournalProgress } from '@visitor-counter/database/coverage/advance-progress';
import { recordShortJournal } from '@visitor-counter/database/coverage/cloned-journals';
import { joined, type Range } from '@visitor-counter/database/coverage/ranges';
import { updateCoverage } from '@visitor-counter/database/coverage/update-coverage';
import type { Database } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { reasonOf } from '@visitor-counter/service/errors';
import { LRUCache } from 'lru-cache';
import { type JournalReport, merge } from './journal-report.ts';

interface JournalCoverageOptions {
  readonly pool: Database['pool'];
  /**
   * Publishes to a unit that every sequence of a journal up to `through` is durable; omitted if a PUBACK means the
   * same.
   */
  readonly publishCommitted?: (serial: string, journal: string, through: number) => Promise<void>;
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
  readonly #unknown = new UnknownJournals();
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
    const { pool, publishCommitted } = this.#options;
    const progress = await advanceProgress(
      pool,
      reports.map(({ deviceId, journal, acknowledged }) => ({
        deviceId,
        journal,
        ...(publishCommitted === undefined && { upTo: acknowledged }),
      })),
    );
    const known = new Map(progress.map((one) => [keyOf(one), one]));
    for (const report of reports) await this.#compare(report, known.get(keyOf(report)));
    await this.#publish(reports, known);
  }

  async #publish(
    reports: readonly JournalReport[],
    known: ReadonlyMap<string, JournalProgress>,
  ): Promise<void> {
    const { publishCommitted, log } = this.#options;
    if (publishCommitted === undefined) return;
    const published = reports.flatMap((report) => {
      const progress = known.get(keyOf(report));
      const through = progress ? progress.checked : this.#unknown.advance(keyOf(report), report);
      return progress || through > 0 ? publishCommitted(report.serial, report.journal, through) : [];
    });
    for (const result of await Promise.allSettled(published)) {
      if (result.status === 'rejected')
        log.write('warn', { reason: reasonOf(result.reason) }, 'committed positions not published');
    }
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
    if (known === undefined && acknowledged === 0 && !this.#options.publishCommitted) return;
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
    if (more) return this.#repeat({ ...report, lost: lostUnseen });
    /* The next round publishes the new position. */
    if (this.#options.publishCommitted) this.#repeat({ ...report, acknowledged: 0, received: [], lost: [] });
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

/**
 * Journals, and ranges of each, in memory. A journal that was evicted is reported again, because units repeat crossings
 * that are not committed.
 */
const limits = { journals: 10_000, ranges: 100 };

/** How long a journal is remembered (ms). */
const ttl = 60 * 60_000;

/**
 * The durable part of journals that the database does not have, because their devices have too many: all crossings of
 * such a journal are kept as rejected messages. With an external broker the unit must get `committed` for them too, or
 * it would send the same crossings repeatedly. Each gateway remembers only what it has received itself; a unit that
 * repeats its messages fills the gaps.
 */
class UnknownJournals {
  readonly #ranges = new LRUCache<string, readonly Range[]>({ max: limits.journals, ttl });

  /** The last sequence up to which every one is durable, declared lost or acknowledged, including this report. */
  advance(key: string, { acknowledged, received, lost }: JournalReport): number {
    const known = this.#ranges.get(key) ?? [];
    const ranges = joined([{ first: 1, last: acknowledged }, ...known, ...received, ...lost]);
    this.#ranges.set(key, ranges.slice(0, limits.ranges));
    return ranges[0]?.first === 1 ? ranges[0].last : 0;
  }
}
