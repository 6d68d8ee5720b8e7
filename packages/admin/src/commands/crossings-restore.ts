import { againAtOnce } from '@visitor-counter/database/ingest/again-at-once';
import { NothingToRestore, restoreVoid } from '@visitor-counter/database/voids/restore-void';
import { type Command, InvalidArgumentError } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { OperatorError } from '../context/operator-error.ts';
import { operatorName } from '../context/operator-name.ts';
import { withDatabase } from '../context/with-database.ts';
import { jsonOption } from './options.ts';

const help = `
The crossings count again, each in the store in which the device was at its instant. The void remains in the record,
with who undid it and when.

JSON: {"id","restored":<how many crossings>}`;

export function addCrossingsRestore(crossings: Command, around: Surroundings): void {
  crossings
    .command('restore')
    .description('Undo a void: its crossings count again.')
    .argument('<void>', 'its number in crossings voids', parseVoid)
    .option('--by <name>', 'who does it (the user who runs this)')
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (id: number, { by = operatorName(around.env), json }: { by?: string; json?: true }) => {
      const restored = await withDatabase(around.env, ({ kysely }) =>
        againAtOnce(() => restoreVoid(kysely, { id, by })).catch((error: unknown) => {
          if (error instanceof NothingToRestore)
            throw new OperatorError(error.code, `nothing was changed: ${error.message}`);
          throw error;
        }),
      );
      around.print(json ? JSON.stringify({ id, restored }) : `${restored} crossings restored`);
    });
}

function parseVoid(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected the number of a void.');
}
