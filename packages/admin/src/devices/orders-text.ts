import type {
  FleetCommand,
  FleetSettings,
  StoredCommand,
  UnitOrders,
} from '@visitor-counter/database/commands/unit-commands';
import { instantText, plain, table } from '../command/text.ts';
import type { ChosenDevice } from './find-devices.ts';

const commandStates = ['done', 'running', 'open', 'failed', 'expired'] as const;
const settingsStates = ['in use', 'open', 'refused'] as const;

/** The states of the settings and commands of several devices. */
export interface FleetOrders {
  readonly settings: readonly FleetSettings[];
  readonly commands: readonly FleetCommand[];
}

/** How many devices are in which state, as `--json` prints it. */
export function fleetSummary({ settings, commands }: FleetOrders) {
  const kinds = Map.groupBy(commands, ({ command }) => command);
  return {
    settings: countBy(settingsStates, settings),
    commands: Object.fromEntries([...kinds].map(([kind, some]) => [kind, countBy(commandStates, some)])),
  };
}

export function fleetOrdersText(devices: readonly ChosenDevice[], orders: FleetOrders): string {
  const { settings, commands } = fleetSummary(orders);
  const serials = new Map(devices.map(({ id, serial }) => [id, serial]));
  const counted = settingsStates.map((state) => `${settings[state]} ${state}`).join(', ');
  const kinds = Object.entries(commands).map(([kind, counts]) => [
    kind,
    ...commandStates.map((state) => String(counts[state])),
  ]);
  const unfinished = [
    ...orders.settings
      .filter(({ state }) => state !== 'in use')
      .map(({ deviceId, state }) => [serials.get(deviceId) ?? '', 'settings', state]),
    ...orders.commands
      .filter(({ state }) => state !== 'done')
      .map(({ deviceId, command, state, problem }) => [
        ...[serials.get(deviceId) ?? '', command, problem === null ? state : `${state}: ${plain(problem)}`],
      ]),
  ];
  return [
    `${devices.length} devices; remote settings: ${counted}`,
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
  return [...configText(serial, config, answered), ...commands.map(commandText)].join('\n');
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

function commandText(stored: StoredCommand): string {
  const { id, command, createdAt, missing } = stored;
  const lines = [
    `  command ${id} of ${instantText(createdAt)}: ${JSON.stringify(command)}`,
    `    ${stateText(stored)}`,
  ];
  if (Array.isArray(missing) && missing.length > 0)
    lines.push(`    the unit no longer has the sequences ${missing.map(rangeText).join(', ')}`);
  return lines.join('\n');
}

function stateText(stored: StoredCommand): string {
  const { state, expiresAt, finishedAt, problem } = stored;
  const at = instantText(finishedAt);
  if (state === 'done')
    return `done ${at}${progressText(stored, ', ')}${problem === null ? '' : `: ${problem}`}`;
  if (state === 'failed') return `failed ${at}${progressText(stored, ', ')}: ${problem ?? 'no reason given'}`;
  if (state === 'running') return `running${progressText(stored, ', ')}`;
  if (expiresAt.getTime() > Date.now()) return `waiting for the unit until ${instantText(expiresAt)}`;
  return `expired ${instantText(expiresAt)}: the unit did not connect in time`;
}

function progressText({ sent, total }: StoredCommand, before: string): string {
  if (sent === null) return '';
  return `${before}${sent}${total === null ? '' : ` of ${total}`} crossings sent`;
}

function rangeText(range: unknown): string {
  return Array.isArray(range) ? `${range[0]} to ${range[1]}` : String(range);
}
