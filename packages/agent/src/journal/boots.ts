import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import { instantOf, monotonicMs } from '../clock/time.ts';
import type { BootTime } from '../clock/unit-clock.ts';
import type { CrossingRow, NewCrossing } from './crossings.ts';
import { checkedValues, type Database } from './database.ts';
import { JournalDamaged } from './journal-errors.ts';

/** A boot with journaled crossings whose instants are not known yet. */
export interface UndatedBoot {
  readonly boot: string;
  /** The boot's begin according to its own clock, which was never set. */
  readonly claimed: EpochMs;
  /** The moment of its last crossing. */
  readonly last: MonotonicMs;
  /** The latest instant that is known to be before it; 0 when there is none. */
  readonly after: EpochMs;
}

export interface DatedBoot extends BootTime {
  readonly boot: string;
}

/** A row of the table `boot`, see UndatedBoot. */
interface BootRow {
  readonly id: number;
  readonly name: string;
  readonly claimed: EpochMs;
  readonly after: EpochMs;
  readonly last: MonotonicMs;
  /** When CLOCK_MONOTONIC was 0; null while that is not known. It never changes: the server would refuse other instants. */
  readonly begin: EpochMs | null;
  readonly uncertainty: number;
}

/** The boots of a database, and what is known about their clocks. Changes are made within a transaction of the caller. */
export class Boots {
  readonly #database: Database;
  #rows = new Map<number, BootRow>();

  constructor(database: Database) {
    this.#database = database;
    this.#load();
  }

  /** What is known now, for `restore` after a transaction that fails: the disk may not be readable then. */
  get known(): ReadonlyMap<number, BootRow> {
    return new Map(this.#rows);
  }

  restore(known: ReadonlyMap<number, BootRow>): void {
    this.#rows = new Map(known);
  }

  #load(): void {
    for (const found of this.#database.statement('select * from boot order by id').all()) {
      if (!checkedValues(found)) throw new JournalDamaged('the row of a boot has changed');
      const { id, name, claimed, after, last, begin, uncertainty } = found;
      this.#rows.set(Number(id), {
        id: Number(id),
        name: String(name),
        claimed: Number(claimed),
        after: Number(after),
        last: monotonicMs(Number(last)),
        begin: begin === null ? null : Number(begin),
        uncertainty: Number(uncertainty),
      });
    }
  }

  /** In order. */
  get undated(): UndatedBoot[] {
    return [...this.#rows.values()].flatMap(({ name: boot, claimed, after, last, begin }) =>
      begin === null ? [{ boot, claimed, after, last }] : [],
    );
  }

  get(id: number | null): BootRow | undefined {
    return id === null ? undefined : this.#rows.get(id);
  }

  /**
   * Records what a new crossing of the boot `name` says about its clock; `latest` is the latest known instant. Returns the
   * id of the boot if the instant of the crossing follows from that, else null.
   */
  record(name: string, crossing: NewCrossing, latest: EpochMs): number | null {
    const { at, uncertainty = 0, moment, isDated = true } = crossing;
    if (moment === undefined) return null;
    const row = [...this.#rows.values()].findLast((one) => one.name === name);
    const begin = at - moment;
    if (isDated) {
      if (!row) this.add({ name, claimed: begin, after: 0, last: moment, begin, uncertainty });
      else if (row.begin === null) this.#put({ ...row, begin, uncertainty });
      return null;
    }
    if (row) return row.begin === null ? this.#put({ ...row, last: moment }) : row.id;
    const after = Math.max(latest, ...[...this.#rows.values()].map(lastInstant));
    return this.add({ name, claimed: begin, after, last: moment, begin: null, uncertainty: 0 });
  }

  /** Adds a row; returns its id. */
  add(row: Omit<BootRow, 'id'>): number {
    return this.#put({ ...row, id: Math.max(0, ...this.#rows.keys()) + 1 });
  }

  /** Stores when boots began, if that is not known yet. */
  setBegins(dated: readonly DatedBoot[]): void {
    for (const row of this.#rows.values()) {
      const found = dated.find(({ boot }) => boot === row.name);
      if (found && row.begin === null)
        this.#put({ ...row, begin: found.offset, uncertainty: found.uncertainty });
    }
  }

  /** The instant of a crossing with its uncertainty; undefined while it is not known. */
  instantOf({ at, uncertainty, moment, boot }: CrossingRow) {
    if (at !== null) return { at, uncertainty };
    const { begin = null, uncertainty: ofBoot = 0 } = this.get(boot) ?? {};
    if (begin === null || moment === null) return undefined;
    return { at: instantOf(moment, begin), uncertainty: ofBoot };
  }

  #put(row: BootRow): number {
    const { id, name, claimed, after, last, begin, uncertainty } = row;
    const values = [id, name, claimed, after, last, begin, uncertainty];
    this.#database.add('insert or replace into boot', values);
    this.#rows.set(id, row);
    return id;
  }
}

/** The latest instant that a boot has certainly reached. */
function lastInstant({ begin, last, uncertainty }: BootRow): EpochMs {
  return begin === null ? 0 : Math.floor(begin + last - uncertainty);
}

/** The undated boots of several databases, each boot once. */
export function mergedBoots(boots: readonly UndatedBoot[]): UndatedBoot[] {
  const merged = new Map<string, UndatedBoot>();
  for (const one of boots) {
    const other = merged.get(one.boot);
    merged.set(one.boot, other && other.last > one.last ? other : { ...other, ...one });
  }
  return [...merged.values()];
}
