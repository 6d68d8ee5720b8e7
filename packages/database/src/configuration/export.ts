import { devicesInStores } from '../devices/list-devices.ts';
import { reportsOf } from '../reports/mail-reports.ts';
import type { Db } from '../sql/query-builder.ts';
import { sidsIn } from '../stores/stores.ts';
import { alertRulesOf } from './alert-rule.ts';
import { readStoreSettings } from './store.ts';

/** A company and what it owns, as a topology file has it: without secrets, and without credentials that were revoked. */
export async function exportCompany(db: Db, id: number) {
  const company = await db
    .selectFrom('company')
    .select(['name', 'retentionMonths'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const groups = await db
    .selectFrom('shopGroup')
    .select(['name', sidsIn('shopGroup.storeIds').as('stores')])
    .where('companyId', '=', id)
    .orderBy('nameKey')
    .execute();
  const reports = await reportsOf(db, id);
  return {
    ...company,
    stores: await exportStores(db, id),
    shopGroups: groups,
    devices: await exportDevices(db, id),
    credentials: await exportCredentials(db, id),
    alertRules: (await alertRulesOf(db, id)).map(({ afterSeconds, threshold, ...rule }) => {
      return { ...rule, after: afterSeconds, ...(threshold !== null && { threshold }) };
    }),
    alertTargets: await exportTargets(db, id),
    reports: reports.map(({ name, period, recipients, language, hour, group, stores, enabled }) => {
      const scope = group === null ? { stores } : { group };
      return { name, period, recipients, language, hour, ...scope, enabled };
    }),
  };
}

async function exportStores(db: Db, companyId: number) {
  const stores = await db
    .selectFrom('store')
    .select(['id', 'sid', 'name', 'address', 'city', 'timeZone', 'dayStartsAt'])
    .where('companyId', '=', companyId)
    .orderBy('sid')
    .execute();
  const exported: object[] = [];
  for (const { id, ...store } of stores) exported.push({ ...store, ...(await readStoreSettings(db, id)) });
  return exported;
}

/** Where devices were before is not exported. */
async function exportDevices(db: Db, companyId: number) {
  return await devicesInStores(db)
    .select(['serial', 'device.name', 'store.sid as store'])
    .select((eb) => eb('retiredAt', 'is not', null).as('retired'))
    .where('device.companyId', '=', companyId)
    .orderBy('serialKey')
    .execute();
}

async function exportCredentials(db: Db, companyId: number) {
  const credentials = await db
    .selectFrom('credential')
    .select(['kind', 'label', 'expiresAt', 'mayConfigure as settings'])
    .select(sidsIn('credential.storeIds').as('stores'))
    .where('companyId', '=', companyId)
    .where('revokedAt', 'is', null)
    .orderBy('kind')
    .orderBy('label')
    .execute();
  return credentials.map(({ expiresAt, ...credential }) => {
    return { ...credential, expires: expiresAt === null ? 'never' : new Date(expiresAt).toISOString() };
  });
}

/** The URL of a webhook is a secret. */
async function exportTargets(db: Db, companyId: number) {
  const targets = await db
    .selectFrom('alertTarget')
    .select(['label', 'address as mail', 'language', 'enabled'])
    .where('companyId', '=', companyId)
    .orderBy('label')
    .execute();
  return targets.map(({ mail, ...target }) => ({ ...target, ...(mail !== null && { mail }) }));
}
