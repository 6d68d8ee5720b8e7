import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import { instantOf } from '../clock/time.ts';
import type { BootTime } from '../clock/unit-clock.ts';
import type { CrossingRow, NewCrossing } from './crossings.ts';
import type { Database } from './database.ts';

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
export type BootRow = {
  readonly id: number;
  readonly name: string;
  readonly claimed: EpochMs;
  readonly after: EpochMs;
  readonly last: MonotonicMs;
  /** When CLOCK_MONOTONIC was 0; null while that is not known. It never changes: the server would refuse other instants. */
  readonly begin: EpochMs | null;
  readonly uncertainty: number;
};

/** The boots of a database, and what is known about their clocks. Changes are made within a transaction of the caller. */
export class Boots {
  readonly #database: Database;
  /** By id, in order. Each change replaces the map, so that the caller can undo it when the transaction fails. */
  rows: ReadonlyMap<number, BootRow>;

  constructor(database: Database) {
    this.#database = database;
    const rows = database.rows<BootRow>('select * from boot order by id');
    this.rows = new Map(rows.map((row) => [row.id, row]));
  }

  /** In order. */
  get undated(): UndatedBoot[] {
    return [...this.rows.values()].flatMap(({ name: boot, claimed, after, last, begin }) =>
      begin === null ? [{ boot, claimed, after, last }] : [],
    );
  }

  /**
   * Records what a new crossing of the boot `name` says about its clock; `latest` is the latest known instant. Returns the
   * id of the boot if the instant of the crossing follows from that, else null.
   */
  record(name: string, crossing: NewCrossing, latest: EpochMs): number | null {
    const { at, uncertainty = 0, moment, isDated = true } = crossing;
    if (moment === undefined) return null;
    const rows = [...this.rows.values()];
    const boot = rows.findLast((row) => row.name === name) ?? {
      id: Math.max(0, ...this.rows.keys()) + 1,
      name,
      claimed: at - moment,
      after: Math.max(latest, ...rows.map(lastInstant)),
      last: moment,
      begin: null,
      uncertainty: 0,
    };
    if (boot.begin === null)
      this.#put(isDated ? { ...boot, begin: at - moment, uncertainty } : { ...boot, last: moment });
    return isDated ? null : boot.id;
  }

  /** Stores when boots began, if that is not known yet. */
  setBegins(dated: readonly DatedBoot[]): void {
    for (const row of this.rows.values()) {
      const found = dated.find(({ boot }) => boot === row.name);
      if (found && row.begin === null)
        this.#put({ ...row, begin: found.offset, uncertainty: found.uncertainty });
    }
  }

  /** The instant of a crossing with its uncertainty; undefined while it is not known. */
  instantOf({ at, uncertainty, moment, boot }: CrossingRow) {
    if (at !== null) return { at, uncertainty };
    const { begin = null, uncertainty: ofBoot = 0 } = this.rows.get(boot ?? 0) ?? {};
    if (begin === null || moment === null) return undefined;
    return { at: instantOf(moment, begin), uncertainty: ofBoot };
  }

  #put(row: BootRow): void {
    const { id, name, claimed, after, last, begin, uncertainty } = row;
    const values = [id, name, claimed, after, last, begin, uncertainty];
    this.#database.add('insert or replace into boot', values);
    this.rows = new Map(this.rows).set(id, row);
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
