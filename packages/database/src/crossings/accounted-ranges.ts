import { maxCrossingsPerMessage } from '@visitor-counter/wire/limits';

/** The most rejected ranges that are read; more than can overlap 10,000 sequences. */
const most = 20_000;

/**
 * SQL for the rejected ranges of a journal that overlap the sequences from `first` to `last`: the first 20,000, in any order.
 * A hostile unit can have millions of them, so they are found by their keys: each is a part of one message. The arguments
 * are SQL, with qualified names.
 */
export const rejectedRanges = (journalId: string, first: string, last: string) => `
    select * from (
      select first, max(last) as last from journal_uncounted
      where journal_id = ${journalId} and reason = 'rejected'
        and first > ${first} - ${maxCrossingsPerMessage} and first <= ${last} and last >= ${first}
      group by first order by first limit ${most}
    ) rejected`;

/** SQL for the lost ranges that overlap these sequences; reads all lost ranges of the journal, which are limited. */
export const lostRanges = (journalId: string, first: string, last: string) => `
    select first, last from journal_uncounted
    where journal_id = ${journalId} and reason = 'lost' and first <= ${last} and last >= ${first}`;

/** SQL for all ranges that overlap these sequences and are accounted for without stored crossings. */
export const accountedRanges = (journalId: string, first: string, last: string) => `
    ${rejectedRanges(journalId, first, last)}
    union all ${lostRanges(journalId, first, last)}`;
