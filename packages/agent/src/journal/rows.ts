import { randomBytes } from 'node:crypto';
import type { Crossing } from '@visitor-counter/domain/crossing';
import { parsedJson } from '@visitor-counter/domain/parsed-json';
import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { monotonicMs } from '../clock/time.ts';
import { checkedValues, type Database, type DatabaseRow } from './database.ts';
import { JournalDamaged } from './journal-errors.ts';
import type { LostRange } from './lost-ranges.ts';

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

/** The row of a new crossing, which was counted during this boot. */
export function rowOf(crossing: NewCrossing, sequence: number, boot: string): CrossingRow {
  const { at, direction, uncertainty = 0, moment = null, isDated = true } = crossing;
  const toDate = isDated || moment === null ? { boot: null, moment: null } : { boot, moment };
  return { sequence, ...toDate, at, uncertainty, direction };
}

/** Adds or changes the row of a crossing, within a transaction of the caller. */
export function storeCrossing(database: Database, journal: string, row: CrossingRow): void {
  const { sequence, boot, moment, at, uncertainty, direction } = row;
  const values = [journal, sequence, boot, moment, at, uncertainty, direction];
  database.add('insert or replace into crossing', values);
}

/** Crossings that are read, or whose instants are stored, at a time. */
export const chunk = 1_000;

/** At most `max` rows of a journal from a sequence on. Throws JournalDamaged if a byte of one has changed on the disk. */
export function crossingsIn(database: Database, journal: string, from: number, max: number): CrossingRow[] {
  const sql = 'select * from crossing where journal = ? and sequence >= ? order by sequence limit ?';
  return database.statement(sql).all(journal, from, max).map(crossingIn);
}

/** All rows of a journal from a sequence on. */
export function* crossingsFrom(database: Database, journal: string, from: number): Generator<CrossingRow> {
  for (let rows = crossingsIn(database, journal, from, chunk); rows.length > 0; ) {
    yield* rows;
    rows = crossingsIn(database, journal, (rows.at(-1)?.sequence ?? 0) + 1, chunk);
  }
}

/** Of the crossings after a sequence: the last one, 0 when there is none, and the first one whose instant is not known. */
export function sequencesAfter(
  database: Database,
  journal: string,
  after: number,
): { last: number; undatedFrom: number } {
  const sql = `select max(sequence) as last, min(sequence) filter (where boot is not null) as undated
    from crossing where journal = ? and sequence > ?`;
  const { last, undated } = database.statement(sql).get(journal, after) ?? {};
  return { last: Number(last ?? 0), undatedFrom: Number(undated ?? Number.POSITIVE_INFINITY) };
}

/**
 * Of the first crossings of a journal up to a sequence, the last one that is not later than `at`; 0 when there is none. It
 * also finds crossings of which a byte has changed, so that these can be removed.
 */
export function lastUntil(database: Database, journal: string, through: number, at: EpochMs): number {
  const sql = `select max(sequence) filter (where at <= ?) as last from
    (select sequence, at from crossing where journal = ? and sequence <= ? order by sequence limit ?)`;
  return Number(database.statement(sql).get(at, journal, through, chunk)?.['last'] ?? 0);
}

/** The instant of the last crossing of a journal that has one; 0 when there is none. */
export function lastInstant(database: Database, journal: string): EpochMs {
  const sql = 'select at from crossing where journal = ? and boot is null order by sequence desc limit 1';
  return Number(database.statement(sql).get(journal)?.['at'] ?? 0);
}

function crossingIn(row: DatabaseRow): CrossingRow {
  const { sequence, boot, moment, at, uncertainty, direction } = row;
  if (!checkedValues(row)) throw new JournalDamaged(`crossing ${String(sequence)} has changed`);
  return {
    sequence: Number(sequence),
    boot: boot === null ? null : String(boot),
    moment: moment === null ? null : monotonicMs(Number(moment)),
    at: Number(at),
    uncertainty: Number(uncertainty),
    direction: direction === -1 ? -1 : 1,
  };
}

/** A journal of a database: its identity, and how far the server has acknowledged it. */
export interface StoredJournal {
  readonly id: number;
  /** Random; 32 hexadecimal digits. */
  readonly name: string;
  /** The device that writes it; undefined if it was not given. */
  readonly serial: string | undefined;
  /** Nothing more is appended to it. */
  ended: boolean;
  /** The last sequence; 0 when there is none. The stored one may be old. */
  recorded: number;
  /** The last sequence that the server has acknowledged, and the instant of its crossing (epoch ms); 0 when there is none. */
  acknowledged: number;
  acknowledgedAt: EpochMs;
  /** Sequences that are permanently declared lost. */
  lost: readonly LostRange[];
  /** The first sequence whose instant is not known; infinite when all are. It is not stored in the row. */
  undatedFrom: number;
}

export function newJournal(
  id: number,
  serial?: string,
  name = randomBytes(16).toString('hex'),
): StoredJournal {
  const position = { recorded: 0, acknowledged: 0, acknowledgedAt: 0, undatedFrom: Number.POSITIVE_INFINITY };
  return { id, name, serial, ended: false, ...position, lost: [] };
}

const lostRanges = Compile(Type.Array(Type.Tuple([Type.Integer(), Type.Integer()])));

/** The journal of a row; undefined if a byte of it has changed on the disk. */
export function journalIn(row: DatabaseRow): StoredJournal | undefined {
  const { id, name, serial, ended, recorded, acknowledged, acknowledged_at: at, lost: text } = row;
  const lost = parsedJson(String(text));
  if (!checkedValues(row) || !lostRanges.Check(lost)) return undefined;
  return {
    ...newJournal(Number(id), serial === null ? undefined : String(serial), String(name)),
    ended: ended === 1,
    recorded: Number(recorded),
    acknowledged: Number(acknowledged),
    acknowledgedAt: Number(at),
    lost,
  };
}

/** Adds or changes the row of a journal, within a transaction of the caller. */
export function storeJournal(database: Database, journal: StoredJournal): void {
  const { id, name, serial = null, ended, recorded, acknowledged, acknowledgedAt, lost } = journal;
  const position = [Number(ended), recorded, acknowledged, acknowledgedAt, JSON.stringify(lost)];
  database.add('insert or replace into journal', [id, name, serial, ...position]);
}
