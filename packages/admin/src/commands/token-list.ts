import {
  type ListedCredential,
  listCredentials,
} from '@visitor-counter/database/credentials/list-credentials';
import type { Command } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { withDatabase } from '../context/with-database.ts';
import { instantText } from '../terminal/instant-text.ts';
import { table } from '../terminal/table.ts';
import { companyOption, jsonOption } from './options.ts';

export function addTokenList(token: Command, around: Surroundings): void {
  token
    .command('list')
    .description(
      'List credentials: company, kind, label, issue and expiry. Values are not stored, so not shown.',
    )
    .addOption(companyOption())
    .addOption(jsonOption())
    .action(async ({ company, json }: { company?: string; json?: true }) => {
      const now = Date.now();
      const credentials = await withDatabase(around.env, ({ kysely }) => listCredentials(kysely, company));
      const listed = credentials.map((one) => ({ ...one, state: stateOf(one, now) }));
      around.print(json ? JSON.stringify(listed) : credentialTable(listed));
    });
}

type State = 'active' | 'expired' | 'revoked';

function stateOf({ expiresAt, revokedAt }: ListedCredential, now: number): State {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt.getTime() <= now ? 'expired' : 'active';
}

function credentialTable(credentials: readonly (ListedCredential & { state: State })[]): string {
  return table(
    ['COMPANY', 'KIND', 'LABEL', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED', 'STORES'],
    credentials.map(({ company, kind, label, state, createdAt, expiresAt, lastUsedAt, stores }) => [
      ...[company, kind, label, state],
      ...[instantText(createdAt), instantText(expiresAt), instantText(lastUsedAt)],
      stores === null ? 'all' : stores.join(', '),
    ]),
  );
}
