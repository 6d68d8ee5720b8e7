import { type MailReport, mostRecipients } from '@visitor-counter/database/reports/mail-reports';
import type { Database } from '@visitor-counter/database/sql/connect';
import { storeFacts } from '@visitor-counter/database/stores/stores';
import { isMailAddress } from '@visitor-counter/domain/mail';
import { cleanName, isPrintable, nameKey } from '@visitor-counter/domain/name-key';
import type { Caller } from '../../access/callers.ts';
import { invalidParameter } from '../../problems/problems.ts';
import { groupOf, storeOf } from '../stores/requested-stores.ts';

export const nameExpected = 'a name of 1 to 200 characters';
export const recipientsExpected = `a list of 1 to ${mostRecipients} e-mail addresses`;

/** The report with names as they are stored. Throws `invalid_parameter`, `unknown_store` and `unknown_group`. */
export async function checked(
  { kysely }: Database,
  caller: Caller,
  { name: given, recipients: addresses, group, stores, ...same }: MailReport,
): Promise<MailReport> {
  const clean = cleanName(given);
  if (clean === '' || !isPrintable(clean)) throw invalidParameter('name', given, nameExpected);
  const mails = [...new Map(addresses.map((one) => [nameKey(one), one.trim()])).values()];
  const wrong = mails.find((mail) => !isMailAddress(mail));
  if (wrong !== undefined) throw invalidParameter('recipients', wrong, recipientsExpected);
  if (group !== null && stores !== null)
    throw invalidParameter('stores', stores, 'left out where `group` is given');
  if (stores?.length === 0)
    throw invalidParameter('stores', stores, 'a list of at least one store id, or null');
  const all = await storeFacts(kysely, caller);
  return {
    ...same,
    name: clean,
    recipients: mails,
    group: group === null ? null : groupOf(all, group),
    stores: stores && [...new Set(stores.map((sid) => storeOf(all, sid, 'stores').sid))].toSorted(),
  };
}
