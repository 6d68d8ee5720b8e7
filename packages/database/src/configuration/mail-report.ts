import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import { sql } from 'kysely';
import Type, { type Static } from 'typebox';
import { isPending } from '../outbox/outbox.ts';
import { reportPeriods } from '../reports/mail-reports.ts';
import type { Db } from '../sql/query-builder.ts';
import type { Owner } from './company.ts';
import { invalid, requireFields } from './read-entry.ts';
import { lockedRow, type Saved, saveRow } from './save-row.ts';
import { storeIdsOf } from './store.ts';
import { language, mailAddresses, name, nameOrNull, sidsOrAll, trueOrFalse } from './values.ts';

/** The most reports of a company. */
const mostReports = 1_000;

/** A report by mail as it is saved. `group` and `stores` replace each other. */
export const MailReport = Type.Object({
  name,
  period: Type.Optional(Type.Enum([...reportPeriods], { description: `one of ${reportPeriods.join(', ')}` })),
  recipients: Type.Optional(mailAddresses),
  language: Type.Optional(language),
  hour: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: 23 }), Type.Null()], {
      description: 'an hour from 0 to 23, or null for when the last store has closed',
    }),
  ),
  group: Type.Optional(nameOrNull),
  stores: Type.Optional(sidsOrAll),
  enabled: Type.Optional(trueOrFalse),
});
type Given = Partial<Static<typeof MailReport>>;

/**
 * Saves a report, found by its id, or else by its name. Periods that were due before it was created, switched on again, or got
 * another period are not reported. Mails that were not sent yet are given up if it is switched off.
 */
export async function saveMailReport(
  trx: Db,
  owner: Owner,
  given: Given & { readonly id?: number },
): Promise<Saved> {
  const { id, period, recipients, language, hour, enabled } = given;
  const clean = given.name === undefined ? undefined : cleanName(given.name);
  const companyId = owner.id;
  const named =
    clean === undefined ? undefined : await lockedRow(trx, 'mailReport', { companyId, name: clean });
  const stored = id === undefined ? named : await lockedRow(trx, 'mailReport', { companyId, id });
  if (id !== undefined && stored === undefined) throw invalid('id', id, 'a report', 'report');
  if (named && named.id !== stored?.id) throw invalid('name', given.name, 'one that no other report has');
  if (stored === undefined) await requireNew(trx, owner, given);
  const scope = await scopeOf(trx, owner, given);
  const isRestarted = stored && ((enabled && !stored.enabled) || (period && period !== stored.period));
  const values = {
    name: clean,
    period,
    recipients: recipients && addressesOf(recipients),
    language: language ?? (stored ? undefined : 'en'),
    sendHour: hour,
    ...scope,
    enabled,
  };
  const fields = { sendHour: 'hour', shopGroupId: 'group', storeIds: 'stores' };
  const key = stored ? { id: stored.id } : { companyId };
  const saved = await saveRow(trx, 'mailReport', { stored, key, values, fields });
  if (isRestarted)
    await trx.updateTable('mailReport').set({ since: sql`now()` }).where('id', '=', stored.id).execute();
  if (enabled === false && stored) await giveUpMails(trx, stored.id);
  return saved;
}

async function requireNew(trx: Db, { id, name }: Owner, given: Given): Promise<void> {
  requireFields(MailReport, given, 'report', ['name', 'period', 'recipients']);
  const { count } = await trx
    .selectFrom('mailReport')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('companyId', '=', id)
    .executeTakeFirstOrThrow();
  if (count >= mostReports)
    throw invalid('name', given.name, `that of one of the ${mostReports} reports of ${name}`);
}

/** Each address once, in its last spelling. */
function addressesOf(given: readonly string[]): string[] {
  return [...new Map(given.map((one) => [nameKey(one), one.trim()])).values()];
}

async function scopeOf(
  trx: Db,
  owner: Owner,
  { group, stores }: Given,
): Promise<{ shopGroupId?: number | null; storeIds?: number[] | null }> {
  if (group && stores) throw invalid('stores', stores, 'left out, since group is given');
  if (group === undefined && stores === undefined) return {};
  const storeIds = stores ? await storeIdsOf(trx, owner, (index) => `stores[${index}]`, stores) : null;
  if (!group) return { shopGroupId: null, storeIds };
  const found = await trx
    .selectFrom('shopGroup')
    .select('id')
    .where('companyId', '=', owner.id)
    .where('nameKey', '=', nameKey(group))
    .executeTakeFirst();
  if (found === undefined)
    throw invalid('group', group, `the name of a shop group of ${owner.name}`, 'group');
  return { shopGroupId: found.id, storeIds: null };
}

async function giveUpMails(trx: Db, id: number): Promise<void> {
  await trx
    .updateTable('outbox')
    .set({ givenUpAt: sql<number>`now()` })
    .where('mailReportId', '=', id)
    .where('kind', '<>', 'test')
    .where(isPending)
    .execute();
}
