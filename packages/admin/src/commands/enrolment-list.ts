import {
  type ListedEnrolmentCode,
  listEnrolmentAttempts,
  listEnrolmentCodes,
} from '@visitor-counter/database/enrolment/codes';
import type { Command } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { withDatabase } from '../context/with-database.ts';
import { instantText } from '../terminal/instant-text.ts';
import { table } from '../terminal/table.ts';
import { codeArgument, companyOption, jsonOption } from './options.ts';

export function addEnrolmentList(enrolment: Command, around: Surroundings): void {
  enrolment
    .command('list')
    .description('List codes: their store or device, uses and expiry. The codes themselves are not stored.')
    .addOption(companyOption())
    .addOption(jsonOption())
    .action(async ({ company, json }: { company?: string; json?: true }) => {
      const now = Date.now();
      const codes = await withDatabase(around.env, ({ kysely }) => listEnrolmentCodes(kysely, company));
      const listed = codes.map((code) => ({ ...code, state: stateOf(code, now) }));
      around.print(json ? JSON.stringify(listed) : codeTable(listed));
    });
}

type State = 'active' | 'used up' | 'expired' | 'revoked';

function stateOf({ used, uses, expiresAt, revokedAt }: ListedEnrolmentCode, now: number): State {
  if (revokedAt) return 'revoked';
  if (expiresAt.getTime() <= now) return 'expired';
  return used < uses ? 'active' : 'used up';
}

function codeTable(codes: readonly (ListedEnrolmentCode & { state: State })[]): string {
  return table(
    ['ID', 'COMPANY', 'FOR', 'STATE', 'USED', 'CREATED', 'EXPIRES'],
    codes.map(({ id, company, store, replaces, state, used, uses, createdAt, expiresAt }) => [
      ...[String(id), company, replaces === null ? `store ${store}` : `place of ${replaces}`, state],
      ...[`${used} of ${uses}`, instantText(createdAt), instantText(expiresAt)],
    ]),
  );
}

export function addEnrolmentShow(enrolment: Command, around: Surroundings): void {
  enrolment
    .command('show')
    .description(
      'Show what was tried with a code: when, from which address, by which serial, with what outcome.',
    )
    .addArgument(codeArgument())
    .addOption(jsonOption())
    .action(async (id: number, { json }: { json?: true }) => {
      const attempts = await withDatabase(around.env, ({ kysely }) => listEnrolmentAttempts(kysely, id));
      if (json) return around.print(JSON.stringify(attempts));
      const rows = attempts.map((one) => [instantText(one.at), one.address, one.serial, one.outcome]);
      around.print(table(['AT', 'FROM', 'SERIAL', 'OUTCOME'], rows));
    });
}
