import { findCredential, saveCredential } from '@visitor-counter/database/configuration/credential';
import { InvalidField } from '@visitor-counter/database/configuration/read-entry';
import { type CredentialKind, listCredentials } from '@visitor-counter/database/credentials/credentials';
import { generateSecret } from '@visitor-counter/database/credentials/secret';
import type { DB } from '@visitor-counter/database/sql/schema';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Transaction } from 'kysely';
import { command, flag, group, repeatable, required, secretOption } from '../command/command.ts';
import { OperatorError } from '../command/context.ts';
import { findCompany, listCommand } from '../command/find.ts';
import { checkSecret, company, expiry, kind, label, limitedTo } from '../command/options.ts';
import { instantText } from '../command/text.ts';
import { configure, removeEntry } from './save-entry.ts';

const credentialKey = { company: required(company), kind: required(kind), label: required(label) };

const issueCommand = command({
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
  run: async (context, { value = generateSecret(), ...wanted }) => {
    checkSecret('--value', value);
    if (wanted.settings && wanted.kind !== 'staff')
      throw new ConfigurationError('--kind', wanted.kind, 'staff, which --settings needs');
    const issued = await configure(context, (trx) => issue(trx, { ...wanted, value }));
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

interface Wanted {
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
  readonly value: string;
  /** Epoch ms; null for never. */
  readonly expires: number | null | undefined;
  readonly store: readonly string[] | undefined;
  readonly allStores: true | undefined;
  readonly settings: true | undefined;
  readonly withoutSettings: true | undefined;
  readonly rotate: true | undefined;
}

/** Issues a new credential, or one that was revoked; or rotates one that is in use. */
async function issue(trx: Transaction<DB>, { value, ...wanted }: Wanted) {
  const { kind, label } = wanted;
  const owner = await findCompany(trx, wanted.company);
  const stored = await findCredential(trx, owner, kind, label);
  const isInUse = stored !== undefined && !stored.revoked;
  if (isInUse && !wanted.rotate)
    throw new OperatorError(
      `${wanted.company} has a ${kind} credential ${label} in use: replace its value with --rotate, or choose another label`,
    );
  const expires = wanted.expires === undefined ? (isInUse ? stored.expiresAt : null) : wanted.expires;
  const until = expires === null ? null : new Date(expires).toISOString();
  if (expires !== null && expires <= Date.now())
    throw new OperatorError(
      `the ${kind} credential ${label} of ${owner.name} expired on ${until}: choose another time with --expires`,
    );
  const chosen = wanted.store && [...new Set(wanted.store)];
  const stores = wanted.allStores ? null : (chosen ?? stored?.stores ?? null);
  const settings = wanted.withoutSettings ? false : (wanted.settings ?? stored?.settings ?? false);
  const given = { kind, label, value, expires: until ?? 'never', stores, settings };
  const { fields } = await saveCredential(trx, owner, given).catch((error: unknown) => {
    throw refusal(error, owner.name);
  });
  if (stored && !fields.includes('value')) throw new OperatorError('the credential has this value already');
  const action = stored === undefined ? 'created' : isInUse ? 'rotated' : 'reissued';
  const shown = { expires: until, stores, ...(settings && { settings }) };
  return { action, company: owner.name, kind, label, value, ...shown };
}

/** The only problems that options can still have. */
function refusal(error: unknown, company: string): unknown {
  if (!(error instanceof InvalidField)) return error;
  const [problem] = error.problems;
  if (error.unknown === 'store' && problem && 'value' in problem)
    return new OperatorError(`${company} has no store ${JSON.stringify(problem.value)}`);
  return new OperatorError('another credential has this value already');
}

const list = listCommand(
  'List credentials: company, kind, label, issue and expiry. Values are not stored, so not shown.',
  async (db, company) => {
    const now = Date.now();
    const credentials = await listCredentials(db, company);
    return credentials.map((one) => {
      const isExpired = one.expiresAt !== null && one.expiresAt <= now;
      return { ...one, state: one.revokedAt !== null ? 'revoked' : isExpired ? 'expired' : 'active' };
    });
  },
  {
    COMPANY: ({ company }) => company,
    KIND: ({ kind }) => kind,
    LABEL: ({ label }) => label,
    STATE: ({ state }) => state,
    CREATED: ({ createdAt }) => instantText(createdAt),
    EXPIRES: ({ expiresAt }) => instantText(expiresAt),
    'LAST USED': ({ lastUsedAt }) => instantText(lastUsedAt),
    SETTINGS: ({ settings }) => (settings ? 'yes' : 'no'),
    STORES: ({ stores }) => (stores === null ? 'all' : stores.join(', ')),
  },
  ['createdAt', 'expiresAt', 'revokedAt', 'lastUsedAt'],
);

const revokeCommand = command({
  name: 'revoke',
  description: 'Revoke a credential: it stops working immediately. Repeating it changes nothing.',
  options: credentialKey,
  run: async (context, { company: given, kind, label }) => {
    const { company, changed } = await configure(context, async (trx) => {
      const owner = await findCompany(trx, given);
      if (!(await findCredential(trx, owner, kind, label)))
        throw new OperatorError(`${owner.name} has no ${kind} credential ${label}; see \`admin token list\``);
      const { action } = await saveCredential(trx, owner, { kind, label, revoked: true });
      return { company: owner.name, changed: action !== 'unchanged' };
    });
    const did = changed ? 'revoked' : 'was revoked before:';
    return {
      json: { company, kind, label, changed },
      text: `${did} ${kind} credential ${label} of ${company}`,
    };
  },
});

const removeCommand = command({
  name: 'remove',
  description:
    'Remove a credential that was issued by mistake and has entered nothing. Otherwise, revoke it.',
  options: credentialKey,
  run: (context, { company, kind, label }) =>
    removeEntry(context, { company, what: `${kind} credential ${label}` }, 'credential', ({ id }) => {
      return { companyId: id, kind, label };
    }),
});

export const tokenCommands = group('token', 'Issue, list, revoke and remove the credentials of companies.', [
  issueCommand,
  list,
  revokeCommand,
  removeCommand,
]);
