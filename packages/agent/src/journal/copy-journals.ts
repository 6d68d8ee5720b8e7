import type { SQLOutputValue } from 'node:sqlite';
import { checkedValues, type Database, type DatabaseRow } from './database.ts';
import { isDamage, isDiskError } from './journal-errors.ts';
import { gapsIn } from './lost-ranges.ts';
import { journalIn, newJournal, type StoredJournal, sequencesAfter, storeJournal } from './rows.ts';

interface CopyOptions {
  /** The journals that are there already: those that have ended get what follows, the others are left as they are. */
  readonly present?: readonly StoredJournal[];
  /** Whether a part that the disk cannot read now is left out. Otherwise its error is thrown. */
  readonly isGivenUp?: boolean;
}

/**
 * Copies journals into another database, where their ids begin with `firstIdOf` their number, within a transaction of the
 * caller; copying them again replaces them. Returns the copies, which are ended: what has been lost at their end is not known,
 * and a sequence must not be used again.
 *
 * Every row that can be read and is unchanged is copied, so nothing is invented. What is missing between the rows that are
 * not acknowledged is declared lost. A journal whose own row is lost is sent again as a whole.
 */
export function copyJournals(
  from: Database,
  to: Database,
  firstIdOf: (count: number) => number,
  { present = [], isGivenUp = false }: CopyOptions = {},
): StoredJournal[] {
  const there = new Map(present.map((journal) => [journal.name, journal]));
  const journals = new Map<string, StoredJournal>();
  for (const { row } of intactRows(from, 'journal', isGivenUp)) {
    const journal = journalIn(row);
    if (journal) journals.set(journal.name, journal);
  }
  for (const { row, values } of intactRows(from, 'crossing', isGivenUp)) {
    const name = String(row['journal']);
    const existing = there.get(name);
    if (existing && isKept(to, existing, Number(row['sequence']))) continue;
    if (!journals.has(name)) journals.set(name, newJournal(0, undefined, name));
    to.add('insert or replace into crossing', values);
  }
  const copies = [...journals.values()]
    .filter(({ name }) => there.get(name)?.ended !== false)
    .map((journal) => accountFor(there.get(journal.name) ?? journal, to, journal.recorded))
    .filter(({ recorded }) => recorded > 0);
  const first = firstIdOf(copies.length);
  const numbered = copies.map((journal, index) => ({
    ...journal,
    id: there.get(journal.name)?.id ?? first + index,
  }));
  for (const journal of numbered) storeJournal(to, journal);
  return numbered;
}

/** Whether a crossing is left as it is: it was sent, or its instant is known, which never changes. */
function isKept(to: Database, { name, ended, acknowledged }: StoredJournal, sequence: number): boolean {
  if (!ended || sequence <= acknowledged) return true;
  const sql = 'select 1 from crossing where journal = ? and sequence = ? and boot is null';
  return to.statement(sql).get(name, sequence) !== undefined;
}

/** The primary key of each table. */
const keys = { journal: ['id'], crossing: ['journal', 'sequence'] };

/** The unchanged rows of a table with their values, forwards and backwards, each until the first damage. */
function* intactRows(
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

/** The journal, ended, with what is lost of it; `known`: the last sequence that is known of it otherwise. */
function accountFor(journal: StoredJournal, copied: Database, known: number): StoredJournal {
  const { name, acknowledged } = journal;
  const { last, undatedFrom } = sequencesAfter(copied, name, acknowledged);
  const recorded = Math.max(journal.recorded, acknowledged, known, last);
  const sql = 'select sequence from crossing where journal = ? and sequence > ? order by sequence';
  const found = copied.statement(sql).iterate(name, acknowledged);
  const sequences = found.map(({ sequence }) => Number(sequence));
  const before = journal.lost.filter(([first]) => first <= acknowledged);
  const lost = [...before, ...gapsIn(sequences, acknowledged + 1, recorded)];
  return { ...journal, ended: true, recorded, undatedFrom, lost };
}
