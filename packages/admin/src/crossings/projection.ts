import { setTimeout as delay } from 'node:timers/promises';
import { readLag } from '@visitor-counter/database/projection/lag';
import { rebuildProjection } from '@visitor-counter/database/projection/rebuild-projection';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Command } from 'commander';
import type { CommandContext } from '../command/context.ts';
import { OperatorError, withDatabase } from '../command/context.ts';
import { jsonOption } from '../command/options.ts';

const statusHelp = `
JSON: {"records":<change records that are not applied>,"lag":<ms since the oldest one was written>}`;

/** Adds the commands about the projection. */
export function addProjectionCommands(program: Command, context: CommandContext): void {
  const projection = program
    .command('projection')
    .description('Show the state of the numbers derived from crossings, or rebuild them.');
  projection
    .command('status')
    .description('Show how many change records are not applied to occupancy yet.')
    .addOption(jsonOption())
    .addHelpText('after', statusHelp)
    .action(async ({ json }: { json?: true }) => {
      const lag = await withDatabase(context.env, readLag);
      context.print(json ? JSON.stringify(lag) : lagText(lag));
    });
  projection
    .command('rebuild')
    .description('Rebuild the occupancy of all stores from crossings and corrections, while services run.')
    .action(() =>
      withDatabase(context.env, async (database) => {
        const quarters = await rebuildProjection(database.kysely);
        context.print(`${quarters} quarter hours to rebuild`);
        await untilApplied(database, context);
        context.print('done');
      }),
    );
}

function lagText({ records, lag }: { readonly records: number; readonly lag: number }): string {
  if (records === 0) return 'up to date';
  return `${records} change records are not applied; the oldest is ${(lag / 1_000).toFixed(1)} s old`;
}

/** If nothing is applied for so long, no projector is running (ms). */
const patience = 15_000;

/** Waits until the projector has applied all change records, and prints how many are left every two seconds. */
async function untilApplied(database: Database, { printError }: CommandContext): Promise<void> {
  let { records: left } = await readLag(database);
  let progressAt = Date.now();
  let shownAt = Date.now();
  while (left > 0) {
    await delay(100);
    const { records } = await readLag(database);
    if (records < left) progressAt = Date.now();
    left = records;
    if (Date.now() - progressAt > patience)
      throw new OperatorError(
        'no-projector',
        'nothing is applied: start a process with the role projector, which continues the rebuild',
      );
    if (Date.now() - shownAt < 2_000) continue;
    printError(`${left} change records are left`);
    shownAt = Date.now();
  }
}
