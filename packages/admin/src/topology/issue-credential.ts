import { recordAudit } from '@visitor-counter/database/audit/record-audit';
import {
  type CredentialKind,
  findCredentialOwners,
  writeCredential,
} from '@visitor-counter/database/credentials/credentials';
import { generateSecret, hashSecret } from '@visitor-counter/database/credentials/secret';
import type { DB } from '@visitor-counter/database/sql/schema';
import {
  lockTopology,
  type StoredCompany,
  type StoredCredential,
} from '@visitor-counter/database/topology/topology';
import { nameKey } from '@visitor-counter/domain/name-key';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Transaction } from 'kysely';
import { command, flag, repeatable, required, secretOption } from '../command/command.ts';
import { type CommandContext, inTransaction, OperatorError } from '../command/context.ts';
import { findCompany } from '../command/find.ts';
import { checkSecret, company, expiry, kind, label, limitedTo } from '../command/options.ts';

/** The options that name a credential. */
export const credentialKey = { company: required(company), kind: required(kind), label: required(label) };

export const issueCommand = command({
  name: 'issue',
  description: 'Issue a credential to a company.',
  options: {
    ...credentialKey,
    expires: {
      value: '<when>',
      description: 'never (default), 30d, 12h, 8w, a date or an instant',
      kind: expiry,
    },
    value: secretOption('<value>', 'the value, at least 16 characters of ASCII; generated when left out'),
    store: { ...repeatable(limitedTo), conflicts: 'allStores' },
    settings: flag('staff may also change settings: opening hours, alerts, reports'),
    withoutSettings: flag('remove this right from a label', 'settings'),
    allStores: flag('remove the limit of a label'),
    rotate: flag('replace the value of a label that is in use'),
  },
  help: `
  counts       the Token of the four count operations
  life-signal  the Authorization key of GetLifeSignalInactive
  staff        the live page and corrections
  sales        tills: what the stores have sold, by POST /v1/sales

The value is printed only once and not stored. A label that was revoked can be issued again. A label that is in use
is not changed, unless --rotate replaces its value; the old value stops working immediately.

With --store, once or several times, the credential is limited to these stores: in every operation, the read interface,
the live stream and the page. A label keeps its stores when it is issued again, unless you give --store or --all-stores.

With --settings, staff who sign in can change settings on the page: capacity, opening hours, staff, and for all stores
alerts and reports. A label keeps this right when it is issued again, unless you give --without-settings.

Examples:
  admin token issue --company Acme --kind counts --label till --expires 365d
  admin token issue --company Acme --kind staff --label front --store S-1 --store S-2`,
  run: async (
    context,
    { allStores, store, settings, withoutSettings, value = generateSecret(), ...wanted },
  ) => {
    checkSecret('--value', value);
    if (settings && wanted.kind !== 'staff')
      throw new ConfigurationError('--kind', wanted.kind, 'staff, which --settings needs');
    const stores = allStores ? null : store;
    const right = withoutSettings ? false : settings;
    const issued = await issueCredential(context, { ...wanted, settings: right, value, stores });
    const { action, company, kind, label, expires } = issued;
    const text = [
      `${action} ${kind} credential ${label} of ${company}, expires ${expires ?? 'never'}`,
      ...(issued.stores ? [`limited to stores ${issued.stores.join(', ')}`] : []),
      ...(issued.settings ? ['may change settings'] : []),
      `\nShown only this once:\n  ${value}`,
    ];
    return { json: issued, text: text.join('\n') };
  },
});

interface CredentialToIssue extends CredentialKey {
  /** Epoch ms; null for never. Undefined: never, or unchanged for a credential that is rotated. */
  readonly expires: number | null | undefined;
  readonly value: string;
  /** Whether a credential that is in use gets a new value. */
  readonly rotate: true | undefined;
  /** The sids of the stores that it gives access to; null for all. Undefined: all, or unchanged. */
  readonly stores: readonly string[] | null | undefined;
  /** Undefined: unchanged. */
  readonly settings: boolean | undefined;
}

/** Issues a credential: a new one, one that was revoked, or, with `rotate`, one in use with a new value. */
function issueCredential(context: CommandContext, wanted: CredentialToIssue) {
  const { kind, label, value } = wanted;
  const hash = hashSecret(value);
  return changeCredential(context, wanted, async (trx, company, stored, record) => {
    if (stored && !stored.revoked && !wanted.rotate)
      throw new OperatorError(
        `${wanted.company} has a ${kind} credential ${label} in use: replace its value with --rotate, or choose another label`,
      );
    const stores = storesOf(company, wanted, stored);
    const owners = await findCredentialOwners(trx, [hash]);
    if (owners.length > 0) throw new OperatorError('another credential has this value already');
    const unchanged = stored && !stored.revoked ? stored.expires : null;
    const expires = wanted.expires === undefined ? unchanged : wanted.expires;
    if (expires !== null && expires <= Date.now())
      throw new OperatorError(
        `the ${kind} credential ${label} of ${company.name} expired on ${new Date(expires).toISOString()}: choose another time with --expires`,
      );
    const settings = wanted.settings ?? stored?.settings ?? false;
    const credential = { kind, label, hash, expires, revoked: false, stores, settings };
    await writeCredential(trx, nameKey(wanted.company), credential);
    const action = stored === undefined ? 'created' : stored.revoked ? 'reissued' : 'rotated';
    const until = expires === null ? null : new Date(expires).toISOString();
    const rights = { expires: until, stores, ...(settings && { settings }) };
    await record(action, rights);
    return { action, company: company.name, kind, label, value, ...rights };
  });
}

function storesOf(
  company: StoredCompany,
  { stores }: CredentialToIssue,
  stored: StoredCredential | undefined,
): readonly string[] | null {
  if (stores === undefined) return stored?.stores ?? null;
  const unknown = stores?.find((sid) => !company.stores.has(sid));
  if (unknown !== undefined)
    throw new OperatorError(`${company.name} has no store ${JSON.stringify(unknown)}`);
  return stores && [...new Set(stores)];
}

interface CredentialKey {
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
}

/**
 * Runs `change` in a transaction, with the company and the stored credential of this kind and label, if any; `record`
 * adds an entry to the audit log.
 */
export function changeCredential<Result>(
  context: CommandContext,
  wanted: CredentialKey,
  change: (
    trx: Transaction<DB>,
    company: StoredCompany,
    stored: StoredCredential | undefined,
    record: (action: string, details: Readonly<Record<string, unknown>>) => Promise<void>,
  ) => Promise<Result>,
): Promise<Result> {
  return inTransaction(context, async (trx, author) => {
    await lockTopology(trx);
    const company = await findCompany(trx, wanted.company);
    const isWanted = ({ kind, label }: StoredCredential) => kind === wanted.kind && label === wanted.label;
    const subject = { kind: 'credential', key: `${wanted.kind}/${wanted.label}` } as const;
    return change(trx, company, company.credentials.find(isWanted), (action, details) =>
      recordAudit(trx, author, { action, company: company.name, subject, details }),
    );
  });
}
