import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { parsedJson } from '@visitor-counter/domain/parsed-json';
import type { EpochMs } from '@visitor-counter/domain/time';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { checksumOf, type DatabaseRow } from './crossing-row.ts';
import { Statements } from './database.ts';
import { JournalDamaged } from './journal-errors.ts';
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
  /** Sequences that were acknowledged at some running time (ms), in order. */
  marks: readonly (readonly [through: number, ran: number])[];
  /** How long agents have run with this journal (ms). */
  ran: number;
}

const ranges = Compile(Type.Array(Type.Tuple([Type.Integer(), Type.Integer()])));

function rangesIn(text: unknown): [number, number][] {
  const value = parsedJson(String(text));
  if (!ranges.Check(value)) throw new JournalDamaged('a position cannot be read');
  return value;
}

export function newJournal(
  serial: string | undefined,
  id = 1,
  name = randomBytes(16).toString('hex'),
): StoredJournal {
  const nothing = {
    ended: false,
    recorded: 0,
    acknowledged: 0,
    acknowledgedAt: 0,
    lost: [],
    marks: [],
    ran: 0,
  };
  return { id, name, serial, ...nothing };
}

/** The identity of a journal by its row; undefined if a byte of it has changed on the disk. */
export function identityIn({ id, name, serial, checksum }: DatabaseRow): StoredJournal | undefined {
  const isRight = checksumOf('', [id, name, serial]) === checksum;
  return isRight
    ? newJournal(serial === null ? undefined : String(serial), Number(id), String(name))
    : undefined;
}

/** The position of a journal by its row; undefined if a byte of it has changed on the disk. */
export function positionIn(row: DatabaseRow): Omit<StoredJournal, 'serial'> | undefined {
  const {
    journal,
    name,
    ended,
    recorded,
    acknowledged,
    acknowledged_at: at,
    lost,
    marks,
    ran,
    checksum,
  } = row;
  const values = [journal, name, ended, recorded, acknowledged, at, lost, marks, ran];
  if (checksumOf('', values) !== checksum) return undefined;
  return {
    id: Number(journal),
    name: String(name),
    ended: ended === 1,
    recorded: Number(recorded),
    acknowledged: Number(acknowledged),
    acknowledgedAt: Number(at),
    lost: rangesIn(lost),
    marks: rangesIn(marks),
    ran: Number(ran),
  };
}

/** The tables `journal` and `position`. Changes are made within a transaction of the caller. */
export class Journals {
  readonly #statements: Statements;

  constructor(database: DatabaseSync) {
    this.#statements = new Statements(database);
  }

  /** All journals, in the order in which they should be delivered. Throws JournalDamaged. */
  read(): StoredJournal[] {
    const positions = this.#statements.get('select * from position').all().map(positionIn);
    const found = this.#statements.get('select * from journal order by id').all();
    return found.map((row) => {
      const journal = identityIn(row);
      const position = positions.find((one) => one?.id === journal?.id);
      if (!journal || !position) throw new JournalDamaged('the row of a journal has changed');
      const recorded = Math.max(this.#last(journal.id), position.recorded);
      return { ...journal, ...position, recorded };
    });
  }

  add(journal: StoredJournal): void {
    const { id, name, serial = null } = journal;
    this.#statements
      .get('insert into journal values (?, ?, ?, ?)')
      .run(id, name, serial, checksumOf('', [id, name, serial]));
    this.store(journal);
  }

  store(journal: StoredJournal): void {
    const { id, name, ended, recorded, acknowledged, acknowledgedAt, lost, marks, ran } = journal;
    const texts = [JSON.stringify(lost), JSON.stringify(marks)] as const;
    const values = [id, name, Number(ended), recorded, acknowledged, acknowledgedAt, ...texts, ran] as const;
    this.#statements
      .get('insert or replace into position values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
      .run(...values, checksumOf('', values));
  }

  remove(id: number): void {
    for (const table of ['crossing', 'position'])
      this.#statements.get(`delete from ${table} where journal = ?`).run(id);
    this.#statements.get('delete from journal where id = ?').run(id);
  }

  #last(journal: number): number {
    const sql = 'select max(sequence) as last from crossing where journal = ?';
    return Number(this.#statements.get(sql).get(journal)?.['last'] ?? 0);
  }
}
