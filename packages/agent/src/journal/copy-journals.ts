import type { SQLOutputValue } from 'node:sqlite';
import { checkedValues, type Database, type DatabaseRow } from './database.ts';
import { isDamage, isDiskError } from './journal-errors.ts';
import { gapsIn } from './lost-ranges.ts';
import { journalIn, newJournal, type StoredJournal, sequencesAfter, storeJournal } from './rows.ts';

interface CopyOptions {
  /** The names of journals that are not copied. */
  readonly except?: ReadonlySet<string>;
  /** Whether a part that the disk cannot read now is left out. Otherwise its error is thrown. */
  readonly isGivenUp?: boolean;
}

/**
 * Copies journals into another database, where their ids begin with `firstId`, within a transaction of the caller; copying
 * them again replaces them. Returns the copies, which are ended: what has been lost at their end is not known, and a sequence
 * must not be used again.
 *
 * Every row that can be read and is unchanged is copied, so nothing is invented. What is missing between the rows that are
 * not acknowledged is declared lost. A journal whose own row is lost is sent again as a whole.
 */
export function copyJournals(
  from: Database,
  to: Database,
  firstId: number,
  { except = new Set(), isGivenUp = false }: CopyOptions = {},
): StoredJournal[] {
  const journals = new Map<string, StoredJournal>();
  for (const { row } of readable(from, 'journal', isGivenUp)) {
    const journal = journalIn(row);
    if (journal) journals.set(journal.name, journal);
  }
  for (const { row, values } of readable(from, 'crossing', isGivenUp)) {
    const name = String(row['journal']);
    if (except.has(name)) continue;
    const journal = journals.get(name) ?? newJournal(0, undefined, name);
    journals.set(name, journal);
    if (row['boot'] !== null) journal.undatedFrom = Math.min(journal.undatedFrom, Number(row['sequence']));
    to.add('insert or replace into crossing', values);
  }
  const copies = [...journals.values()]
    .filter(({ name }) => !except.has(name))
    .map((journal) => accountFor(journal, to))
    .filter(({ recorded }) => recorded > 0)
    .map((journal, index) => ({ ...journal, id: firstId + index }));
  for (const journal of copies) storeJournal(to, journal);
  return copies;
}

/** The primary key of each table. */
const keys = { journal: ['id'], crossing: ['journal', 'sequence'] };

/** The unchanged rows of a table with their values, forwards and backwards, each until the first damage. */
function* readable(
  database: Database,
  table: keyof typeof keys,
  isGivenUp: boolean,
): Generator<{ row: DatabaseRow; values: SQLOutputValue[] }> {
  for (const direction of ['', ' desc'])
    try {
      const order = keys[table].map((column) => column + direction).join();
      for (const row of database.statement(`select * from ${table} order by ${order}`).iterate()) {
        const values = checkedValues(row);
        if (values) yield { row, values };
      }
      return;
    } catch (error) {
      if (!isDamage(error) && !(isGivenUp && isDiskError(error))) throw error;
    }
}

/** The journal, ended, with what is lost of it. */
function accountFor(journal: StoredJournal, copied: Database): StoredJournal {
  const { name, acknowledged } = journal;
  const recorded = Math.max(journal.recorded, acknowledged, sequencesAfter(copied, name, acknowledged).last);
  const sql = 'select sequence from crossing where journal = ? and sequence > ? order by sequence';
  const found = copied.statement(sql).iterate(name, acknowledged);
  const sequences = found.map(({ sequence }) => Number(sequence));
  const before = journal.lost.filter(([first]) => first <= acknowledged);
  return {
    ...journal,
    ended: true,
    recorded,
    lost: [...before, ...gapsIn(sequences, acknowledged + 1, recorded)],
  };
}
