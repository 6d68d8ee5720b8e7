import {
  Credential,
  findCredential,
  saveCredential,
} from '@visitor-counter/database/configuration/credential';
import { readEntry } from '@visitor-counter/database/configuration/read-entry';
import { parseDuration } from '@visitor-counter/database/configuration/values';
import { generateSecret, listCredentials } from '@visitor-counter/database/credentials/credentials';
import type { Transaction } from '@visitor-counter/database/sql/query-builder';
import type { ValueProblem } from '@visitor-counter/domain/read-value';
import { utcText } from '@visitor-counter/domain/time';
import { Refused } from '@visitor-counter/service/errors';
import type { Static } from 'typebox';
import { command, flag, group, required } from '../command/command.ts';
import { change } from '../command/context.ts';
import { findCompany } from '../command/find.ts';
import { listCommand } from '../command/list-command.ts';
import { company, credentialKind as kind, label } from '../command/options.ts';
import { InvalidFileError } from '../file/problems.ts';
import { entryOf, fieldOptions, removeEntry } from './entities.ts';

const credentialKey = { company: required(company), kind: required(kind), label: required(label) };

const issueCommand = command({
  name: 'issue',
  description: 'Issue a credential to a company, or change one.',
  options: {
    ...fieldOptions(Credential),
    ...credentialKey,
    rotate: flag('replace the value of a label that is in use'),
  },
  help: `
  counts       the Token of the four count operations
  life-signal  the Authorization key of GetLifeSignalInactive
  staff        the live page and corrections; with --settings true also settings: opening hours, alerts, reports
  sales        tills: what the stores have sold, by POST /v1/sales

The value is generated if --value is left out, printed only once, and not stored. A label that was revoked can be issued
again. A label that is in use keeps its value, unless --rotate replaces it; the old value stops working immediately. What
you leave out stays as it is. --expires can also be 30d, 12h or 8w from now.

With --stores the credential is limited to these stores: in every operation, the read interface, the live stream and the
page.

Examples:
  admin token issue --company Acme --kind counts --label till --expires 365d
  admin token issue --company Acme --kind staff --label front --stores S-1 S-2`,
  run: async (context, { company, rotate, ...texts }) => {
    const until: unknown = Reflect.get(texts, 'expires');
    const ahead = typeof until === 'string' ? parseDuration(until) : undefined;
    const expires = ahead === undefined ? until : utcText(Date.now() + ahead);
    const problems: ValueProblem[] = [];
    const given = readEntry(Credential, entryOf(Credential, { ...texts, expires }), '', problems);
    if (given === undefined || problems.length > 0) throw new InvalidFileError('command line', problems);
    const issued = await change(context, (trx) => issue(trx, company, given, rotate === true));
    const { action, kind, label, value, stores, settings } = issued;
    const text = [
      `${action} ${kind} credential ${label} of ${issued.company}, expires ${issued.expires ?? 'never'}`,
      ...(stores ? [`limited to stores ${stores.join(', ')}`] : []),
      ...(settings ? ['may change settings'] : []),
      ...(value === undefined ? [] : [`\nShown only this once:\n  ${value}`]),
    ];
    return { json: issued, text: text.join('\n') };
  },
});

/** Saves a credential; it gets a value if it is new or was revoked, or if `rotate` replaces it. */
async function issue(trx: Transaction, company: string, given: Static<typeof Credential>, rotate: boolean) {
  const { kind, label } = given;
  const owner = await findCompany(trx, company);
  const stored = await findCredential(trx, owner, kind, label);
  const isInUse = stored !== undefined && !stored.revoked;
  if (isInUse && given.value !== undefined && !rotate)
    throw new Refused(`the ${kind} credential ${label} of ${owner.name} is in use: add --rotate`);
  const value = isInUse && !rotate ? undefined : (given.value ?? generateSecret());
  const expires = given.expires ?? (isInUse ? undefined : 'never');
  const wanted = { ...given, ...(expires && { expires }), ...(value && { value }) };
  const { action: saved } = await saveCredential(trx, owner, wanted);
  const after = await findCredential(trx, owner, kind, label);
  const until = after?.expiresAt ?? null;
  if (until !== null && until <= Date.now())
    throw new Refused(
      `the ${kind} credential ${label} of ${owner.name} expired on ${utcText(until)}: choose a time in the future with --expires`,
    );
  const action = stored === undefined ? 'created' : isInUse ? (value ? 'rotated' : saved) : 'reissued';
  const { stores = null, settings = false } = after ?? {};
  const shown = { expires: until && utcText(until), stores, settings };
  return { action, company: owner.name, kind, label, value, ...shown };
}

const list = listCommand('List credentials. Values are not stored, so not shown.', async (db, company) => {
  const now = Date.now();
  const credentials = await listCredentials(db, company);
  return credentials.map((one) => {
    const isExpired = one.expiresAt !== null && one.expiresAt <= now;
    return { ...one, state: one.revokedAt !== null ? 'revoked' : isExpired ? 'expired' : 'active' };
  });
});

const revokeCommand = command({
  name: 'revoke',
  description: 'Revoke a credential: it stops working immediately. Repeating it changes nothing.',
  options: credentialKey,
  run: async (context, { company: given, kind, label }) => {
    const { company, changed } = await change(context, async (trx) => {
      const owner = await findCompany(trx, given);
      if (!(await findCredential(trx, owner, kind, label)))
        throw new Refused(`${owner.name} has no ${kind} credential ${label}; see \`admin token list\``);
      const { action } = await saveCredential(trx, owner, { kind, label, revoked: true });
      return { company: owner.name, changed: action !== 'unchanged' };
    });
    const text = `${changed ? 'revoked' : 'was revoked before:'} ${kind} credential ${label} of ${company}`;
    return { json: { company, kind, label, changed }, text };
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
