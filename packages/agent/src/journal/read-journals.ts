import type { Database } from './database.ts';
import { JournalDamaged } from './journal-errors.ts';
import { journalIn, type StoredJournal } from './rows.ts';

/**
 * The crossings of each journal, found without a search: a changed byte in a key misleads searches, and SQLite does not notice.
 * Here it shows, since the rows of its journal are not together, or it belongs to none. `undated`: the first crossing whose
 * instant is not known.
 */
const crossingsOfEach = `
  select journal, count(*) as count, min(sequence) as first, max(sequence) as last,
    min(sequence) filter (where boot is not null) as undated
  from crossing group by journal`;

/** The journals of a database, with the positions that follow from their crossings. Throws JournalDamaged. */
export function readJournals(database: Database): StoredJournal[] {
  const journals = new Map<unknown, StoredJournal>();
  for (const row of database.statement('select * from journal order by id').all()) {
    const journal = journalIn(row);
    if (!journal) throw new JournalDamaged('the row of a journal has changed');
    journals.set(journal.name, journal);
  }
  const counted = new Set<unknown>();
  for (const { journal: name, count, first, last, undated } of database.statement(crossingsOfEach).all()) {
    const journal = journals.get(name);
    /* Those of an ended one may have been lost between others. */
    const isComplete = journal?.ended || Number(count) === Number(last) - Number(first) + 1;
    if (!journal || !isComplete || counted.has(name)) throw new JournalDamaged('crossings are out of order');
    counted.add(name);
    journal.recorded = Math.max(Number(last), journal.recorded);
    journal.undatedFrom = Number(undated ?? Number.POSITIVE_INFINITY);
  }
  return [...journals.values()];
}
