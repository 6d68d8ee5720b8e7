import type { Db } from '@visitor-counter/database/sql/query-builder';
import { command, type Output } from './command.ts';
import { readKnown } from './find.ts';
import { company } from './options.ts';
import { inUtc, tableOf } from './text.ts';

/** The command that lists what all companies have, or one. */
export function listCommand(
  description: string,
  read: (db: Db, company: string | undefined) => Promise<readonly object[]>,
) {
  return command({
    name: 'list',
    description,
    options: { company },
    run: async (context, { company }) =>
      listOutput(await readKnown(context, { company }, ({ kysely }) => read(kysely, company))),
  });
}

/** A list with a column for each property. */
export function listOutput(items: readonly object[]): Output {
  const json = items.map(inUtc);
  return { json, text: tableOf(json) };
}
