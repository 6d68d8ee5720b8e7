import { sendTestAlert } from '@visitor-counter/database/alerts/alerts';
import { nameKey } from '@visitor-counter/domain/name-key';
import type { Command } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { OperatorError } from '../context/operator-error.ts';
import { withDatabase } from '../context/with-database.ts';
import { companyOption, labelOption } from './options.ts';

export function addAlertTest(alert: Command, around: Surroundings): void {
  alert
    .command('test')
    .description('Send a test message to a target; `alert list` shows the result.')
    .addOption(companyOption().makeOptionMandatory())
    .addOption(labelOption().makeOptionMandatory())
    .action(async ({ company, label }: { company: string; label: string }) => {
      const found = await withDatabase(around.env, ({ kysely }) =>
        sendTestAlert(kysely, nameKey(company), label),
      );
      if (!found)
        throw new OperatorError('unknown-target', `${company} has no alert target ${JSON.stringify(label)}`);
      around.print(`a test is on its way to ${label} of ${company}, while \`npx pnpm alerts\` runs`);
    });
}
