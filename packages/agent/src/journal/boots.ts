import type { DatabaseSync } from 'node:sqlite';
import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import { instantOf, monotonicMs } from '../clock/time.ts';
import type { BootTime } from '../clock/unit-clock.ts';
import type { DatedBoot, UndatedBoot } from './boot-times.ts';
import { type CrossingRow, checksumOf, type DatabaseRow, type NewCrossing } from './crossing-row.ts';
import { Statements } from './database.ts';
import { JournalDamaged } from './journal-errors.ts';

/** A row of the table `boot`. */
export interface BootRow {
  readonly id: number;
  readonly name: string;
  readonly claimed: EpochMs;
  readonly after: EpochMs;
  /** The moment of its last crossing without an instant; null if it has none. */
  readonly last: MonotonicMs | null;
  /** When CLOCK_MONOTONIC was 0; null while that is not known. It never changes: the server would refuse other instants. */
  readonly begin: EpochMs | null;
  readonly uncertainty: number;
}

/** The row with its values checked; undefined if a byte of it has changed on the disk. */
export function bootRow(found: DatabaseRow): BootRow | undefined {
  const { id, name, claimed, after, last, begin, uncertainty, checksum } = found;
  const row: BootRow = {
    id: Number(id),
    name: String(name),
    claimed: Number(claimed),
    after: Number(after),
    last: last === null ? null : monotonicMs(Number(last)),
    begin: begin === null ? null : Number(begin),
    uncertainty: Number(uncertainty),
  };
  return checksumOf('', valuesOf(row)) === checksum ? row : undefined;
}

function valuesOf({ id, name, claimed, after, last, begin, uncertainty }: BootRow) {
  return [id, name, claimed, after, last, begin, uncertainty] as const;
}

/** The latest instant that a boot has certainly reached, by its crossings without an instant of their own. */
function lastInstant({ begin, last, uncertainty }: BootRow): EpochMs {
  return begin === null || last === null ? 0 : Math.floor(begin + last - uncertainty);
}

/** The boots of a database, and what is known about their clocks. Changes are made within a transaction of the caller. */
export class Boots {
  readonly #statements: Statements;
  #rows = new Map<number, BootRow>();

  constructor(database: DatabaseSync) {
    this.#statements = new Statements(database);
    this.reload();
  }

  /** Reads the table again, after a transaction that failed. Throws JournalDamaged. */
  reload(): void {
    this.#rows = new Map();
    for (const found of this.#statements.get('select * from boot order by id').all()) {
      const row = bootRow(found);
      if (!row) throw new JournalDamaged('the row of a boot has changed');
      this.#rows.set(row.id, row);
    }
  }

  /** Boots with crossings without an instant whose begin is not known, in order. */
  get undated(): UndatedBoot[] {
    return [...this.#rows.values()].flatMap(({ name: boot, claimed, after, last, begin }) =>
      last === null || begin !== null ? [] : [{ boot, claimed, after, last }],
    );
  }

  get(id: number): BootRow | undefined {
    return this.#rows.get(id);
  }

  /** The boot of a new crossing, with what the crossing says about its clock. */
  record(
    name: string,
    { at, uncertainty = 0, moment, isDated = true }: NewCrossing,
    latest: EpochMs,
  ): BootRow {
    const after = Math.max(latest, ...[...this.#rows.values()].map(lastInstant));
    const row =
      this.#named(name) ?? this.add({ name, claimed: 0, after, last: null, begin: null, uncertainty: 0 });
    if (moment === undefined || row.begin !== null) return row;
    const begin = at - moment;
    if (isDated) return this.put({ ...row, begin, uncertainty });
    return this.put({ ...row, last: moment, ...(row.last === null && { claimed: begin, after }) });
  }

  add(row: Omit<BootRow, 'id'>): BootRow {
    return this.put({ ...row, id: Math.max(0, ...this.#rows.keys()) + 1 });
  }

  /** Adds or changes a row. */
  put(row: BootRow): BootRow {
    const values = valuesOf(row);
    this.#statements
      .get('insert or replace into boot values (?, ?, ?, ?, ?, ?, ?, ?)')
      .run(...values, checksumOf('', values));
    this.#rows.set(row.id, row);
    return row;
  }

  /** Stores when boots began, if that is not known yet. */
  setBegins(dated: readonly DatedBoot[]): void {
    for (const row of this.#rows.values()) {
      const found = dated.find(({ boot }) => boot === row.name);
      if (found && row.begin === null && row.last !== null)
        this.put({ ...row, begin: found.offset, uncertainty: found.uncertainty });
    }
  }

  /** The instant of a crossing with its uncertainty; undefined while it is not known. */
  instantOf({
    at,
    uncertainty,
    moment,
    boot,
  }: CrossingRow): { at: EpochMs; uncertainty: number } | undefined {
    if (at !== null) return { at, uncertainty };
    const begun = this.#begin(boot);
    return begun && { at: instantOf(moment ?? monotonicMs(0), begun.offset), uncertainty: begun.uncertainty };
  }

  /** Removes boots that no crossing refers to any more. */
  removeBefore(id: number): void {
    this.#statements.get('delete from boot where id < ?').run(id);
    for (const row of this.#rows.keys()) if (row < id) this.#rows.delete(row);
  }

  #begin(id: number): BootTime | undefined {
    const { begin = null, uncertainty = 0 } = this.#rows.get(id) ?? {};
    return begin === null ? undefined : { offset: begin, uncertainty };
  }

  #named(name: string): BootRow | undefined {
    return [...this.#rows.values()].findLast((row) => row.name === name);
  }
}
