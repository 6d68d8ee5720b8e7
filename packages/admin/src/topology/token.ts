import { listCredentials, revokeCredential } from '@visitor-counter/database/credentials/credentials';
import { command, group } from '../command/command.ts';
import { OperatorError } from '../command/context.ts';
import { listCommand } from '../command/find.ts';
import { instantText } from '../command/text.ts';
import { changeCredential, credentialKey, issueCommand } from './issue-credential.ts';

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
  run: (context, wanted) =>
    changeCredential(context, wanted, async (trx, { name: company }, stored, record) => {
      const { kind, label } = wanted;
      if (stored === undefined)
        throw new OperatorError(`${company} has no ${kind} credential ${label}; see \`admin token list\``);
      const changed = !stored.revoked;
      if (changed) {
        await revokeCredential(trx, stored.id);
        await record('revoked', {});
      }
      const did = changed ? 'revoked' : 'was revoked before:';
      return {
        json: { company, kind, label, changed },
        text: `${did} ${kind} credential ${label} of ${company}`,
      };
    }),
});

export const tokenCommands = group('token', 'Issue, list and revoke the credentials of companies.', [
  issueCommand,
  list,
  revokeCommand,
]);
