import { AlertRule, saveAlertRule } from '@visitor-counter/database/configuration/alert-rule';
import { AlertTarget, saveAlertTarget } from '@visitor-counter/database/configuration/alert-target';
import {
  Company,
  type Owner,
  ShopGroup,
  saveCompany,
  saveShopGroup,
} from '@visitor-counter/database/configuration/company';
import { Credential, saveCredential } from '@visitor-counter/database/configuration/credential';
import { Device, saveDevice } from '@visitor-counter/database/configuration/device';
import { MailReport, saveMailReport } from '@visitor-counter/database/configuration/mail-report';
import { readEntry } from '@visitor-counter/database/configuration/read-entry';
import type { Saved } from '@visitor-counter/database/configuration/save-row';
import { Store, saveStore } from '@visitor-counter/database/configuration/store';
import type { SecretsKey } from '@visitor-counter/database/secrets/secrets-key';
import type { Transaction } from '@visitor-counter/database/sql/query-builder';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import type { ValueProblem } from '@visitor-counter/domain/read-value';
import type { Static, TObject } from 'typebox';

/** What kinds of entries are called in texts. */
export const kindNames = {
  company: 'company',
  store: 'store',
  shopGroup: 'shop group',
  device: 'device',
  credential: 'credential',
  alertRule: 'alert rule',
  alertTarget: 'alert target',
  report: 'mail report',
};

/** An entry of a file or of a command that can be saved. */
export interface Entry {
  readonly kind: keyof typeof kindNames;
  /** Its name, sid or serial; `<kind>/<label>` of a credential. */
  readonly key: string;
  /** In a file, such as `companies[0].stores[1]`. */
  readonly path: string;
  readonly save: (trx: Transaction, owner: Owner, secretsKey: SecretsKey | undefined) => Promise<Saved>;
}

/** A list of what a company owns. */
export interface OwnList<One = Entry> {
  readonly kind: Entry['kind'];
  readonly schema: TObject;
  /** The entry at a path; undefined, with problems added, if it cannot be used. */
  readonly read: (value: unknown, path: string, problems: ValueProblem[]) => One | undefined;
  /** The field that identifies an entry, and what is equal for all of its spellings. */
  readonly field: string;
  readonly same: (key: string) => string;
}

function list<Schema extends TObject>(
  kind: Entry['kind'],
  schema: Schema,
  [field, keyOf]: readonly [string, (given: Static<Schema>) => string],
  save: (
    trx: Transaction,
    owner: Owner,
    given: Static<Schema>,
    secretsKey: SecretsKey | undefined,
  ) => Promise<Saved>,
  same = (key: string) => key,
): OwnList {
  const read: OwnList['read'] = (value, path, problems) => {
    const given = readEntry(schema, value, path, problems);
    if (given === undefined) return undefined;
    return { kind, key: keyOf(given), path, save: (trx, owner, key) => save(trx, owner, given, key) };
  };
  return { kind, schema, read, field, same };
}

export const companies = list(
  'company',
  Company,
  ['name', ({ name }) => cleanName(name)],
  (trx, _owner, one) => saveCompany(trx, one),
  nameKey,
);

/** What a company owns, in the order in which it is saved. */
export const lists = {
  stores: list('store', Store, ['sid', ({ sid }) => sid], (trx, owner, one) => saveStore(trx, owner, one)),
  shopGroups: list('shopGroup', ShopGroup, ['name', ({ name }) => cleanName(name)], saveShopGroup, nameKey),
  devices: list('device', Device, ['serial', ({ serial }) => serial], saveDevice, nameKey),
  credentials: list(
    'credential',
    Credential,
    ['label', ({ kind, label }) => `${kind}/${label}`],
    saveCredential,
  ),
  alertRules: list('alertRule', AlertRule, ['kind', ({ kind }) => kind], saveAlertRule),
  alertTargets: list('alertTarget', AlertTarget, ['label', ({ label }) => label], saveAlertTarget),
  reports: list('report', MailReport, ['name', ({ name }) => cleanName(name)], saveMailReport),
};
