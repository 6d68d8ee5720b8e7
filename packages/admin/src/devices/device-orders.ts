import {
  readUnitOrders,
  type StoredCommand,
  type UnitOrders,
} from '@visitor-counter/database/devices/unit-commands';
import { isMapping } from '@visitor-counter/domain/parsed-json';
import { command } from '../command/command.ts';
import { withDatabase } from '../command/context.ts';
import { findDevice } from '../command/find.ts';
import { serialArgument } from '../command/options.ts';
import { instantText, inUtc, onOneLine } from '../command/text.ts';

export const ordersCommand = command({
  name: 'orders',
  description: 'Show the remote settings and commands of a unit, with its reports.',
  argument: serialArgument,
  help: `
A command is pending until the unit reports it with a heartbeat, then running, and finally done or failed.`,
  run: async (context, _options, given) => {
    const { serial, orders } = await withDatabase(context, async ({ kysely }) => {
      const { id, serial } = await findDevice(kysely, given);
      return { serial, orders: await readUnitOrders(kysely, id) };
    });
    const json = {
      serial,
      ...orders,
      config: orders.config && inUtc(orders.config),
      commands: orders.commands.map(inUtc),
    };
    const lines = [configText(orders), ...orders.commands.flatMap(commandText)];
    return { json, text: `${serial}: ${lines.map(onOneLine).join('\n')}` };
  },
});

function configText({ config, answered }: UnitOrders): string {
  const { revision, problem } = isMapping(answered) ? answered : {};
  if (!config)
    return `no remote settings${revision === undefined ? '' : `; the unit reports revision ${revision}`}`;
  const answer = problem === undefined ? 'in use' : `refused: ${problem}`;
  const state = revision === config.revision ? answer : 'not yet answered';
  const settings = JSON.stringify(config.settings);
  return `revision ${config.revision} of ${instantText(config.setAt)}, ${state}: ${settings}`;
}

function commandText(stored: StoredCommand): string[] {
  const { id, command, createdAt, state, expiresAt, finishedAt, problem } = stored;
  const isLate = expiresAt <= Date.now();
  const pending = `${isLate ? 'expired at' : 'waiting for the unit until'} ${instantText(expiresAt)}`;
  const facts = [
    state === 'pending' ? pending : `${state}${finishedAt ? ` ${instantText(finishedAt)}` : ''}`,
    problem ?? [],
  ];
  const head = `  command ${id} of ${instantText(createdAt)}: ${JSON.stringify(command)}`;
  return [head, `    ${facts.flat().join(', ')}`];
}
