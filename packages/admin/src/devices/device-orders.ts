import {
  type FleetOrders,
  readFleetOrders,
  readUnitOrders,
  type StoredCommand,
  type UnitOrders,
} from '@visitor-counter/database/devices/unit-commands';
import type { Database } from '@visitor-counter/database/sql/connect';
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
A command is pending until the unit reports it, then running, and finally done or failed. The unit reports with its
heartbeats; while it sends crossings again, it reports every few seconds how many.

For several devices, or those of a store, a shop group or a company, it counts the devices by the state of their newest
command of each kind, and lists those that are not done. open: the unit has not reported it yet.`,
  run: (context, { company, store, group }, serials) =>
    withDatabase(context, (db) => ordersOf(db, { serials, company, store, group })),
});

/** The orders of one device in detail, or the numbers of several devices. */
export async function ordersOf(db: Database, choice: DeviceChoice): Promise<Output> {
  const { kysely } = db;
  const devices = await chooseDevices(db, choice);
  const [one] = devices;
  if (one && choice.serials.length === 1) {
    const orders = await readUnitOrders(kysely, one.id);
    const json = {
      ...orders,
      config: orders.config && inUtc(orders.config, 'setAt'),
      commands: orders.commands.map((stored) => inUtc(stored, 'createdAt', 'expiresAt', 'finishedAt')),
    };
    return { json: { serial: one.serial, ...json }, text: unitOrdersText(one.serial, orders) };
  }
  const orders = await readFleetOrders(
    kysely,
    devices.map(({ id }) => id),
  );
  const json = { devices: devices.length, summary: fleetSummary(orders), ...orders };
  return { json, text: fleetOrdersText(devices.length, orders) };
}

const commandStates = ['done', 'running', 'open', 'failed', 'expired'] as const;
const settingsStates = ['in use', 'open', 'refused'] as const;

/** How many devices are in which state, as `--json` prints it. */
function fleetSummary({ settings, commands }: FleetOrders) {
  const kinds = Map.groupBy(commands, ({ command }) => command);
  return {
    settings: countBy(settingsStates, settings),
    commands: Object.fromEntries([...kinds].map(([kind, some]) => [kind, countBy(commandStates, some)])),
  };
}

function fleetOrdersText(devices: number, orders: FleetOrders): string {
  const { settings, commands } = fleetSummary(orders);
  const counted = settingsStates.map((state) => `${settings[state]} ${state}`).join(', ');
  const kinds = Object.entries(commands).map(([kind, counts]) => [
    kind,
    ...commandStates.map((state) => String(counts[state])),
  ]);
  const unfinished = [
    ...orders.settings
      .filter(({ state }) => state !== 'in use')
      .map(({ serial, state }) => [serial, 'settings', state]),
    ...orders.commands
      .filter(({ state }) => state !== 'done')
      .map(({ serial, command, state, problem }) => {
        return [serial, command, problem === null ? state : `${state}: ${problem}`];
      }),
  ];
  return [
    `${devices} devices; remote settings: ${counted}`,
    ...(kinds.length === 0
      ? ['no commands']
      : [table(['COMMAND', ...commandStates.map((s) => s.toUpperCase())], kinds)]),
    ...(unfinished.length === 0 ? [] : ['', table(['SERIAL', 'ORDER', 'STATE'], unfinished)]),
  ].join('\n');
}

function countBy<State extends string>(
  states: readonly State[],
  all: readonly { readonly state: State }[],
): Record<State, number> {
  const counts = states.map((state) => [state, all.filter((one) => one.state === state).length]);
  return Object.fromEntries(counts);
}

/** The remote settings and latest commands of a device, with what the unit reports, for people. */
export function unitOrdersText(serial: string, { config, answered, commands }: UnitOrders): string {
  return [...configText(serial, config, answered), ...commands.flatMap(commandText)]
    .map(onOneLine)
    .join('\n');
}

function configText(serial: string, config: UnitOrders['config'], answered: unknown): string[] {
  const { revision, problem } = answerOf(answered);
  if (!config) {
    const other = revision === undefined ? '' : `; the unit reports revision ${revision}`;
    return [`${serial}: no remote settings${other}`];
  }
  const isAnswered = revision === config.revision;
  const state = !isAnswered ? 'not yet answered' : problem === undefined ? 'in use' : `refused: ${problem}`;
  return [
    `${serial}: revision ${config.revision} of ${instantText(config.setAt)}, ${state}`,
    `  ${JSON.stringify(config.settings)}`,
  ];
}

function answerOf(answered: unknown): { revision?: unknown; problem?: string } {
  if (typeof answered !== 'object' || answered === null) return {};
  return {
    ...('revision' in answered && { revision: answered.revision }),
    ...('problem' in answered && { problem: String(answered.problem) }),
  };
}

function commandText(stored: StoredCommand): string[] {
  const { id, command, createdAt, missing } = stored;
  const lines = [
    `  command ${id} of ${instantText(createdAt)}: ${JSON.stringify(command)}`,
    `    ${stateText(stored)}`,
  ];
  if (Array.isArray(missing) && missing.length > 0)
    lines.push(`    the unit no longer has the sequences ${missing.map(rangeText).join(', ')}`);
  return lines;
}

function stateText(stored: StoredCommand): string {
  const { state, expiresAt, finishedAt, problem } = stored;
  const at = instantText(finishedAt);
  if (state === 'done')
    return `done ${at}${progressText(stored, ', ')}${problem === null ? '' : `: ${problem}`}`;
  if (state === 'failed') return `failed ${at}${progressText(stored, ', ')}: ${problem ?? 'no reason given'}`;
  if (state === 'running') return `running${progressText(stored, ', ')}`;
  if (expiresAt > Date.now()) return `waiting for the unit until ${instantText(expiresAt)}`;
  return `expired ${instantText(expiresAt)}: the unit has not reported it`;
}

function progressText({ sent, total }: StoredCommand, before: string): string {
  if (sent === null) return '';
  return `${before}${sent}${total === null ? '' : ` of ${total}`} crossings sent`;
}

function rangeText(range: unknown): string {
  return Array.isArray(range) ? `${range[0]} to ${range[1]}` : String(range);
}
