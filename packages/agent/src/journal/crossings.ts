import type { Crossing, NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import { monotonicMs } from '../clock/time.ts';
import { checkedValues, type Database, type DatabaseRow } from './database.ts';
import { JournalDamaged } from './journal-errors.ts';

/** A crossing to be journaled. */
export interface NewCrossing extends Crossing {
  /** How far `at` may be off (ms); 0 or missing for a clock that was right. */
  readonly uncertainty?: number;
  /** The moment on CLOCK_MONOTONIC, where it has one. */
  readonly moment?: MonotonicMs;
  /** False if `at` comes from a clock that was not set: the instant is determined later. */
  readonly isDated?: boolean;
}

/** A row of the table `crossing`, without its journal. */
export interface CrossingRow {
  readonly sequence: number;
  /** The boot and the moment on its clock, while the instant is not known; then null. */
  readonly boot: string | null;
  readonly moment: MonotonicMs | null;
  /** The instant, which never changes. While it is not known: what the wall clock showed, which may be wrong. */
  readonly at: EpochMs;
  readonly uncertainty: number;
  readonly direction: Crossing['direction'];
}

/** The table `crossing` of a database. Journals are named. */
export class Crossings {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  add(journal: string, { sequence, boot, moment, at, uncertainty, direction }: CrossingRow): void {
    const values = [journal, sequence, boot, moment, at, uncertainty, direction];
    this.#database.add('insert or replace into crossing', values);
  }

  /** Removes crossings up to a sequence. */
  remove(journal: string, through: number): void {
    this.#database
      .statement('delete from crossing where journal = ? and sequence <= ?')
      .run(journal, through);
  }

  /** The last sequence; 0 when there is none. */
  last(journal: string): number {
    const sql = 'select max(sequence) as last from crossing where journal = ?';
    return Number(this.#database.statement(sql).get(journal)?.['last']);
  }

  /** The instant of the last crossing that has one; 0 when there is none. */
  lastInstant(journal: string): EpochMs {
    const sql = 'select at from crossing where journal = ? and boot is null order by sequence desc limit 1';
    return Number(this.#database.statement(sql).get(journal)?.['at'] ?? 0);
  }

  /** The first sequence after another one whose instant is not known; infinite when there is none. */
  firstUndated(journal: string, after: number): number {
    const sql = `select min(sequence) as first from crossing
      where journal = ? and sequence > ? and boot is not null`;
    return Number(this.#database.statement(sql).get(journal, after)?.['first'] ?? Number.POSITIVE_INFINITY);
  }

  /** At most `max` rows from a sequence on. Throws JournalDamaged if a byte of one has changed on the disk. */
  rows(journal: string, from: number, max: number): CrossingRow[] {
    const sql = 'select * from crossing where journal = ? and sequence >= ? order by sequence limit ?';
    return this.#database.statement(sql).all(journal, from, max).map(crossingRow);
  }

  /** At most `max` crossings with consecutive sequences from the first one on that is there, as far as their instants are known. */
  read(journal: string, from: number, max: number): NumberedCrossing[] {
    const crossings: NumberedCrossing[] = [];
    for (const row of this.rows(journal, from, max)) {
      const { sequence, boot, at, uncertainty, direction } = row;
      const previous = crossings.at(-1)?.sequence ?? sequence - 1;
      if (boot !== null || sequence !== previous + 1) break;
      crossings.push({ sequence, direction, at, uncertainty });
    }
    return crossings;
  }
}

function crossingRow(found: DatabaseRow): CrossingRow {
  const { sequence, boot, moment, at, uncertainty, direction } = found;
  if (!checkedValues(found)) throw new JournalDamaged(`crossing ${String(sequence)} has changed`);
  return {
    sequence: Number(sequence),
    boot: boot === null ? null : String(boot),
    moment: moment === null ? null : monotonicMs(Number(moment)),
    at: Number(at),
    uncertainty: Number(uncertainty),
    direction: direction === -1 ? -1 : 1,
  };
}
