import { revokeEnrolmentCode } from '@visitor-counter/database/enrolment/codes';
import type { Command } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { OperatorError } from '../context/operator-error.ts';
import { withDatabase } from '../context/with-database.ts';
import { codeArgument, jsonOption } from './options.ts';

export function addEnrolmentRevoke(enrolment: Command, around: Surroundings): void {
  enrolment
    .command('revoke')
    .description(
      'Revoke a code: no unit can enrol with it any more. Units that have enrolled are not affected.',
    )
    .addArgument(codeArgument())
    .addOption(jsonOption())
    .action(async (id: number, { json }: { json?: true }) => {
      const changed = await withDatabase(around.env, ({ kysely }) => revokeEnrolmentCode(kysely, id));
      if (changed === undefined) {
        throw new OperatorError('unknown-code', `there is no code ${id}; see \`admin enrolment list\``);
      }
      if (json) return around.print(JSON.stringify({ id, changed }));
      around.print(`${changed ? 'revoked' : 'was revoked before:'} code ${id}`);
    });
}
