import {
  readFleetOrders,
  readUnitOrders,
  type StoredCommand,
  type UnitOrders,
} from '@visitor-counter/database/devices/unit-commands';
import type { Database } from '@visitor-counter/database/sql/connect';
import { isMapping } from '@visitor-counter/domain/read-value';
import { type ArgumentSpec, command, type Output } from '../command/command.ts';
import { withDatabase } from '../command/context.ts';
import { deviceFilter } from '../command/options.ts';
import { instantText, inUtc, onOneLine, table } from '../command/text.ts';
import { chooseDevices, type DeviceChoice } from './order.ts';

export const serialsArgument: ArgumentSpec<readonly string[]> = {
  name: '[serial...]',
  description: 'serial numbers',
};

export const ordersCommand = command({
  name: 'orders',
  description: 'Show the remote settings and commands of one unit or several, with their reports.',
  argument: serialsArgument,
  options: deviceFilter,
  help: `
A command is pending until the unit reports it with a heartbeat, then running, and finally done or failed.

For several devices, or those of a store, a shop group or a company, it counts the devices by the state of their newest
command of each kind, and lists those that are not done. open: the unit has not reported it yet.`,
  run: (context, { company, store, group }, serials) =>
    withDatabase(context, (db) => ordersOf(db, { serials, company, store, group })),
});

/** The orders of one device in detail, or the numbers of several devices. */
export async function ordersOf(db: Database, choice: DeviceChoice): Promise<Output> {
  const devices = await chooseDevices(db, choice);
  const [one] = devices;
  if (one === undefined || choice.serials.length !== 1) return fleetOrders(db, devices);
  const orders = await readUnitOrders(db.kysely, one.id);
  const json = {
    serial: one.serial,
    ...orders,
    config: orders.config && inUtc(orders.config, 'setAt'),
    commands: orders.commands.map((stored) => inUtc(stored, 'createdAt', 'expiresAt', 'finishedAt')),
  };
  const lines = [configText(orders), ...orders.commands.flatMap(commandText)];
  return { json, text: `${one.serial}: ${lines.map(onOneLine).join('\n')}` };
}

const settingsStates = ['in use', 'open', 'refused'] as const;
const commandStates = ['done', 'running', 'open', 'failed', 'expired'] as const;

async function fleetOrders(db: Database, devices: readonly { readonly id: number }[]): Promise<Output> {
  const orders = await readFleetOrders(
    db.kysely,
    devices.map(({ id }) => id),
  );
  const settings = countBy(settingsStates, orders.settings);
  const kinds = Map.groupBy(orders.commands, ({ command }) => command);
  const counts = [...kinds].map(([kind, some]) => [kind, countBy(commandStates, some)] as const);
  const summary = { settings, commands: Object.fromEntries(counts) };
  const counted = settingsStates.map((state) => `${settings[state]} ${state}`).join(', ');
  const rows = counts.map(([kind, count]) => [kind, ...commandStates.map((state) => String(count[state]))]);
  const ofSettings = orders.settings.map((one) => ({ ...one, command: 'settings', problem: null }));
  const unfinished = [...ofSettings, ...orders.commands]
    .filter(({ state }) => state !== 'in use' && state !== 'done')
    .map(({ serial, command, state, problem }) => [
      serial,
      command,
      [state, problem ?? []].flat().join(': '),
    ]);
  const header = ['COMMAND', ...commandStates.map((state) => state.toUpperCase())];
  const text = [
    `${devices.length} devices; remote settings: ${counted}`,
    rows.length > 0 ? table(header, rows) : 'no commands',
    ...(unfinished.length > 0 ? ['', table(['SERIAL', 'ORDER', 'STATE'], unfinished)] : []),
  ];
  return { json: { devices: devices.length, summary, ...orders }, text: text.join('\n') };
}

function countBy<State extends string>(
  states: readonly State[],
  all: readonly { readonly state: State }[],
): Record<State, number> {
  const counts = states.map((state) => [state, all.filter((one) => one.state === state).length]);
  return Object.fromEntries(counts);
}

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
  const { id, command, createdAt, state, expiresAt, finishedAt, sent, total, problem, missing } = stored;
  const isLate = expiresAt <= Date.now();
  const pending = `${isLate ? 'expired at' : 'waiting for the unit until'} ${instantText(expiresAt)}`;
  const facts = [
    state === 'pending' ? pending : `${state}${finishedAt ? ` ${instantText(finishedAt)}` : ''}`,
    sent === null ? [] : `${sent} of ${total ?? 'unknown'} crossings sent`,
    problem ?? [],
    Array.isArray(missing) && missing.length > 0 ? `no longer has ${JSON.stringify(missing)}` : [],
  ];
  const head = `  command ${id} of ${instantText(createdAt)}: ${JSON.stringify(command)}`;
  return [head, `    ${facts.flat().join(', ')}`];
}
