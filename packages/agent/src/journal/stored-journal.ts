import { randomBytes } from 'node:crypto';
import { parsedJson } from '@visitor-counter/domain/parsed-json';
import type { EpochMs } from '@visitor-counter/domain/time';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { checkedValues, type Database, type DatabaseRow } from './database.ts';
import type { LostRange } from './lost-ranges.ts';

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
    id: Number(id),
    name: String(name),
    serial: serial === null ? undefined : String(serial),
    ended: ended === 1,
    recorded: Number(recorded),
    acknowledged: Number(acknowledged),
    acknowledgedAt: Number(at),
    undatedFrom: Number.POSITIVE_INFINITY,
    lost,
  };
}

/** Adds or changes the row of a journal, within a transaction of the caller. */
export function storeJournal(database: Database, journal: StoredJournal): void {
  const { id, name, serial = null, ended, recorded, acknowledged, acknowledgedAt, lost } = journal;
  const position = [Number(ended), recorded, acknowledged, acknowledgedAt, JSON.stringify(lost)];
  database.add('insert or replace into journal', [id, name, serial, ...position]);
}
