import { setTimeout as delay } from 'node:timers/promises';
import { recordAudit } from '@visitor-counter/database/audit/record-audit';
import { type Lag, readLag, rebuildProjection } from '@visitor-counter/database/projection/projection';
import type { Database } from '@visitor-counter/database/sql/connect';
import { command, group } from '../command/command.ts';
import { type CommandContext, OperatorError, withChanges, withDatabase } from '../command/context.ts';

const status = command({
  name: 'status',
  description: 'Show how far occupancy is behind the crossings.',
  help: `
JSON: {"marks":<marks of quarter hours that have changed>,"lag":<ms since the oldest one was written>}`,
  run: async (context) => {
    const lag = await withDatabase(context, readLag);
    return { json: lag, text: lagText(lag) };
  },
});

function lagText({ marks, lag }: Lag): string {
  if (marks === 0) return 'up to date';
  return `${marks} changes are not in the numbers; the oldest is ${(lag / 1_000).toFixed(1)} s old`;
}

const rebuild = command({
  name: 'rebuild',
  description: 'Rebuild the occupancy of all stores from crossings and corrections, while services run.',
  run: (context, { json }) =>
    withChanges(context, async (database, author) => {
      const quarters = await database.kysely.transaction().execute(async (trx) => {
        const quarters = await rebuildProjection(trx);
        const subject = { kind: 'projection', key: 'occupancy' } as const;
        await recordAudit(trx, author, {
          action: 'rebuild ordered',
          company: null,
          subject,
          details: { quarters },
        });
        return quarters;
      });
      if (!json) context.print(`${quarters} quarter hours to rebuild`);
      await untilApplied(database, context);
      return { json: { quarters }, text: 'done' };
    }),
});

/** If nothing is derived for so long, no projector is running (ms). */
const patience = 15_000;

/** Waits until the projector has derived everything that is marked, and prints how many marks are left every two seconds. */
async function untilApplied(database: Database, { printError }: CommandContext): Promise<void> {
  let { marks: left } = await readLag(database);
  let progressAt = Date.now();
  let shownAt = Date.now();
  while (left > 0) {
    await delay(100);
    const { marks } = await readLag(database);
    if (marks < left) progressAt = Date.now();
    left = marks;
    if (Date.now() - progressAt > patience)
      throw new OperatorError(
        'nothing is derived: start a process with the role projector, which continues the rebuild',
      );
    if (Date.now() - shownAt < 2_000) continue;
    printError(`${left} quarter hours are left`);
    shownAt = Date.now();
  }
}

export const projectionCommands = group(
  'projection',
  'Show the state of the numbers derived from crossings, or rebuild them.',
  [status, rebuild],
);
