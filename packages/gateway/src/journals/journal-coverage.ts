import { accountFor } from '@visitor-counter/database/coverage/account-for';
import { recordShortJournal } from '@visitor-counter/database/coverage/cloned-journals';
import { advanceProgress, type JournalProgress } from '@visitor-counter/database/ingest/advance-progress';
import type { Database } from '@visitor-counter/database/sql/connect';
import { type JournalNews, merge } from './journal-report.ts';
import { UnknownJournals } from './unknown-journals.ts';

export interface JournalCoverageOptions {
  readonly pool: Database['pool'];
  /** Publishes to a unit that every sequence of a journal up to `through` is durable; left out where a PUBACK says so. */
  readonly publishCommitted?: (serial: string, journal: string, through: number) => Promise<void>;
  /** Crossings are missing or were found to be lost. */
  readonly onIncomplete: (facts: Incomplete) => void;
  readonly onError: (error: unknown) => void;
  /** How long reports are collected before they are processed (ms). */
  readonly gatherFor?: number;
}

export interface Incomplete {
  readonly serial: string;
  readonly journal: string;
  readonly missing: number;
  readonly lost: number;
}

/** The most journals that are collected; further reports are dropped, and repeated by the next heartbeat. */
const limit = 20_000;

/** Journals in one statement. */
const chunk = 2_000;

/**
 * Compares the acknowledged sequences of units with those that are stored, rejected or declared lost. A complete journal
 * costs one look-up in a statement for all journals of a round; new sequences cost in proportion to their number. Missing
 * ranges are written to the database, where readers and other gateways find them. Nothing that is in the database is kept
 * between rounds, since it may be restored between them.
 */
export class JournalCoverage {
  readonly #options: JournalCoverageOptions;
  readonly #unknown = new UnknownJournals();
  #news = new Map<string, JournalNews>();
  #gathering: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: JournalCoverageOptions) {
    this.#options = options;
  }

  note(news: JournalNews): void {
    const key = keyOf(news);
    const known = this.#news.get(key);
    if (this.#isClosed || (known === undefined && this.#news.size >= limit)) return;
    this.#news.set(key, merge(known, news));
    if (this.#running) return;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#running ??= this.#run();
    }, this.#options.gatherFor ?? 50);
  }

  /** Ends after the present round. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#gathering);
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#news.size > 0) {
      const news = [...this.#news.values()];
      this.#news = new Map();
      for (let start = 0; start < news.length; start += chunk) {
        await this.#round(news.slice(start, start + chunk)).catch(this.#options.onError);
      }
    }
    this.#running = undefined;
  }

  async #round(news: readonly JournalNews[]): Promise<void> {
    const { pool, publishCommitted } = this.#options;
    const progress = await advanceProgress(
      pool,
      news.map(({ deviceId, journal, acknowledged }) => ({
        ...{ deviceId, journal },
        ...(publishCommitted === undefined && { upTo: acknowledged }),
      })),
    );
    const known = new Map(progress.map((one) => [keyOf(one), one]));
    for (const one of news) await this.#judge(one, known.get(keyOf(one)));
    await this.#publish(news, known);
  }

  async #publish(news: readonly JournalNews[], known: ReadonlyMap<string, JournalProgress>): Promise<void> {
    const { publishCommitted, onError } = this.#options;
    if (publishCommitted === undefined) return;
    const published = news.flatMap((one) => {
      const progress = known.get(keyOf(one));
      const through = progress ? progress.checked : this.#unknown.advance(keyOf(one), one);
      return progress || through > 0 ? publishCommitted(one.serial, one.journal, through) : [];
    });
    for (const result of await Promise.allSettled(published)) {
      if (result.status === 'rejected') onError(result.reason);
    }
  }

  async #judge(news: JournalNews, known: JournalProgress | undefined): Promise<void> {
    const { acknowledged, lost, recorded } = news;
    if (known && recorded && recorded.last < known.before) await this.#noteShort(news, recorded);
    /* A journal that nothing is stored of, and of which the unit has had nothing acknowledged, need not be known. */
    if (known === undefined && acknowledged === 0 && !this.#options.publishCommitted) return;
    const { through, checked, more } = known ?? { through: 0, checked: 0, more: false };
    const isBehind = acknowledged > checked && !more;
    const isLost = lost.some(({ last }) => last > through);
    if (isBehind || isLost) await this.#account(news);
    else if (more) this.#again(news);
  }

  async #noteShort(
    { deviceId, journal }: JournalNews,
    { last, at }: { last: number; at: number },
  ): Promise<void> {
    await recordShortJournal(this.#options.pool, { deviceId, journal, recorded: last, at });
  }

  async #account(news: JournalNews): Promise<void> {
    const { serial, journal } = news;
    const accounted = await accountFor(this.#options.pool, news);
    if (accounted === undefined) return;
    const { missing, lost, lostUnseen, more } = accounted;
    if (missing > 0 || lost > 0) this.#options.onIncomplete({ serial, journal, missing, lost });
    if (more) this.#again({ ...news, lost: lostUnseen });
    /* The next round publishes the new position. */ else if (this.#options.publishCommitted)
      this.#again({ ...news, acknowledged: 0, received: [], lost: [] });
  }

  #again(news: JournalNews): void {
    if (!this.#isClosed) this.#news.set(keyOf(news), merge(news, this.#news.get(keyOf(news)) ?? news));
  }
}

function keyOf({ deviceId, journal }: { readonly deviceId: number; readonly journal: string }): string {
  return `${deviceId} ${journal}`;
}
