import {
  type ListedCredential,
  listCredentials,
  revokeCredential,
} from '@visitor-counter/database/credentials/credentials';
import { command, group } from '../command/command.ts';
import { OperatorError, withDatabase } from '../command/context.ts';
import { company } from '../command/options.ts';
import { requireKnown } from '../command/require-known.ts';
import { instantText, table } from '../command/text.ts';
import { changeCredential, credentialKey } from './change-credential.ts';
import { issueCommand } from './issue-credential.ts';

const listCommand = command({
  name: 'list',
  description:
    'List credentials: company, kind, label, issue and expiry. Values are not stored, so not shown.',
  options: { company },
  run: async (context, { company }) => {
    const now = Date.now();
    const credentials = await withDatabase(context, async ({ kysely }) => {
      await requireKnown(kysely, { company });
      return await listCredentials(kysely, company);
    });
    const listed = credentials.map((one) => ({ ...one, state: stateOf(one, now) }));
    return { json: listed, text: credentialTable(listed) };
  },
});

type State = 'active' | 'expired' | 'revoked';

function stateOf({ expiresAt, revokedAt }: ListedCredential, now: number): State {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt.getTime() <= now ? 'expired' : 'active';
}

function credentialTable(credentials: readonly (ListedCredential & { state: State })[]): string {
  return table(
    ['COMPANY', 'KIND', 'LABEL', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED', 'SETTINGS', 'STORES'],
    credentials.map(({ company, kind, label, state, createdAt, expiresAt, lastUsedAt, stores, settings }) => [
      company,
      kind,
      label,
      state,
      instantText(createdAt),
      instantText(expiresAt),
      instantText(lastUsedAt),
      settings ? 'yes' : 'no',
      stores === null ? 'all' : stores.join(', '),
    ]),
  );
}

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
  listCommand,
  revokeCommand,
]);
