import type { BootRow } from './boots.ts';
import type { CrossingRow } from './crossings.ts';
import { type Database, type DatabaseRow, unchanged } from './database.ts';
import { isDamage, isDiskError } from './journal-errors.ts';
import { gapsIn } from './lost-ranges.ts';
import {
  type JournalRow,
  journalOf,
  newJournal,
  type StoredJournal,
  storeJournal,
} from './stored-journal.ts';

/**
 * Copies the journals of another database, as journals that have ended: what has been lost at their end is not known, and a
 * sequence must not be used again. Repeating it changes nothing.
 *
 * Only rows that can be read and are unchanged are copied, so nothing is invented. What is missing between the rows that are
 * not acknowledged is declared lost. A journal whose own row is lost is sent again as a whole. Throws if the disk cannot be
 * read now, unless it `isGivenUp`.
 */
export function copyJournals(from: Database, to: Database, isGivenUp = false): void {
  to.transaction(() => {
    const boots = new Map<number | null, number | null>([[null, null]]);
    for (const { id, ...row } of readable<BootRow>(from, 'boot', 'id', isGivenUp)) {
      if (boots.has(id)) continue;
      boots.set(id, nextId(to, 'boot'));
      to.add('insert into boot', [nextId(to, 'boot'), ...Object.values(row)]);
    }
    const journals = new Map<string, StoredJournal>();
    for (const row of readable<JournalRow>(from, 'journal', 'id', isGivenUp))
      journals.set(row.name, journalOf(row, 0));
    for (const row of readable<CrossingRow>(from, 'crossing', 'journal, sequence', isGivenUp)) {
      const { journal, sequence, boot: old, ...others } = row;
      const boot = boots.get(old);
      if (boot === undefined) continue;
      to.add('insert or ignore into crossing', [journal, sequence, boot, ...Object.values(others)]);
      if (!journals.has(journal)) journals.set(journal, newJournal(0, null, journal));
    }
    for (const found of journals.values()) {
      const journal = accountFor(found, to);
      const isKnown = to.value('select 1 from journal where name = ?', journal.name) !== undefined;
      if (journal.recorded > 0 && !isKnown) storeJournal(to, { ...journal, id: nextId(to, 'journal') });
    }
  });
}

function nextId(database: Database, table: 'boot' | 'journal'): number {
  return Number(database.value(`select max(id) from ${table}`) ?? 0) + 1;
}

/** The unchanged rows of a table, forwards and backwards, each until the first damage. */
function* readable<Row extends DatabaseRow>(
  database: Database,
  table: string,
  key: string,
  isGivenUp: boolean,
): Generator<Row> {
  for (const direction of ['asc', 'desc'])
    try {
      const order = key.replaceAll(/\w+/g, `$& ${direction}`);
      for (const found of database.statement(`select * from ${table} order by ${order}`).iterate()) {
        const row = unchanged<Row>(found);
        if (row) yield row;
      }
      return;
    } catch (error) {
      if (!isDamage(error) && !(isGivenUp && isDiskError(error))) throw error;
    }
}

/** The journal, ended, with what is lost of it. */
function accountFor(journal: StoredJournal, copied: Database): StoredJournal {
  const { name, acknowledged } = journal;
  const sql = 'select sequence from crossing where journal = ? and sequence > ? order by sequence';
  const sequences = copied
    .statement(sql)
    .all(name, acknowledged)
    .map(({ sequence }) => Number(sequence));
  const recorded = Math.max(journal.recorded, acknowledged, sequences.at(-1) ?? 0);
  const before = journal.lost.filter(([first]) => first <= acknowledged);
  const lost = [...before, ...gapsIn(sequences, acknowledged + 1, recorded)];
  return { ...journal, ended: true, recorded, lost };
}
