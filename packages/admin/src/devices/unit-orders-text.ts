import type { StoredCommand, UnitOrders } from '@visitor-counter/database/commands/unit-commands';
import { instantText } from '../terminal/instant-text.ts';

/** The remote settings and latest commands of a device for people: what was ordered, and what the unit reports. */
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
