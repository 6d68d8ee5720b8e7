import { randomBytes } from 'node:crypto';
import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { EpochMs } from '@visitor-counter/domain/time';
import { lastInstant } from './crossings.ts';
import type { Database } from './database.ts';
import type { LostRange } from './lost-ranges.ts';

/** A journal of a database: its identity, and how far the server has acknowledged it. */
export interface StoredJournal {
  readonly id: number;
  /** Random; 32 hexadecimal digits. */
  readonly name: string;
  /** The device that writes it; null if it was not given. */
  readonly serial: string | null;
  /** Nothing more is appended to it. */
  ended: boolean;
  /** The last sequence, and the instant of the last crossing that has one (epoch ms); 0 when there is none. */
  recorded: number;
  recordedAt: EpochMs;
  /** The last sequence that the server has acknowledged, and the instant of its crossing (epoch ms); 0 when there is none. */
  acknowledged: number;
  acknowledgedAt: EpochMs;
  /** Sequences that are permanently declared lost. */
  lost: readonly LostRange[];
}

/** A row of the table `journal`; its `recorded` may be old. */
export type JournalRow = Pick<StoredJournal, 'id' | 'name' | 'serial' | 'recorded' | 'acknowledged'> & {
  readonly ended: number;
  readonly acknowledged_at: EpochMs;
  /** JSON. */
  readonly lost: string;
};

export function newJournal(
  id: number,
  serial: string | null = null,
  name = randomBytes(16).toString('hex'),
): StoredJournal {
  const position = { recorded: 0, recordedAt: 0, acknowledged: 0, acknowledgedAt: 0 };
  return { id, name, serial, ended: false, ...position, lost: [] };
}

/** The journal of a row; the last crossing has the instant `recordedAt`. */
export function journalOf(
  { ended, acknowledged_at: acknowledgedAt, lost, ...row }: JournalRow,
  recordedAt: EpochMs,
): StoredJournal {
  return { ...row, ended: ended === 1, recordedAt, acknowledgedAt, lost: JSON.parse(lost) };
}

/** Adds or changes the row of a journal, within a transaction of the caller. */
export function storeJournal(database: Database, journal: StoredJournal): void {
  const { id, name, serial, ended, recorded, acknowledged, acknowledgedAt, lost } = journal;
  const position = [Number(ended), recorded, acknowledged, acknowledgedAt, JSON.stringify(lost)];
  database.add('insert or replace into journal', [id, name, serial, ...position]);
}

/** All journals of a database, in the order in which they began. */
export function loadJournals(database: Database): StoredJournal[] {
  const sql = 'select max(sequence) from crossing where journal = ?';
  return database.rows<JournalRow>('select * from journal order by id').map((row) => {
    const last = Number(database.value(sql, row.name) ?? 0);
    return journalOf({ ...row, recorded: Math.max(last, row.recorded) }, lastInstant(database, row.name));
  });
}

/** The first sequence that is neither acknowledged nor declared lost; what is lost before it needs no acknowledgement. */
export function nextPending(journal: StoredJournal): number {
  for (;;) {
    const next = journal.acknowledged + 1;
    const lost = journal.lost.find(([first, last]) => first <= next && next <= last);
    if (!lost) return next;
    journal.acknowledged = lost[1];
  }
}

/** The server has stored these crossings. Returns how many are new; none if delivery continues before them. */
export function acknowledge(journal: StoredJournal, crossings: readonly NumberedCrossing[]): number {
  const [first, last] = [crossings[0], crossings.at(-1)];
  const before = journal.acknowledged;
  if (!first || !last || first.sequence > before + 1 || last.sequence <= before) return 0;
  journal.acknowledged = last.sequence;
  journal.acknowledgedAt = Math.max(journal.acknowledgedAt, last.at);
  return last.sequence - before;
}
