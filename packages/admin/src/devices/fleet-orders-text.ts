import type { FleetCommand, FleetSettings } from '@visitor-counter/database/commands/read-fleet-commands';
import { plain } from '../terminal/plain.ts';
import { table } from '../terminal/table.ts';
import type { ChosenDevice } from './choose-devices.ts';

const commandStates = ['done', 'running', 'open', 'failed', 'expired'] as const;
const settingsStates = ['in use', 'open', 'refused'] as const;

/** How far devices are with their settings and commands: numbers, then what is not done. */
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
