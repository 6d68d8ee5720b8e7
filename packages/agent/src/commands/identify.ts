import { loadConfig } from '../config/load-config.ts';
import { askOnce } from '../local/ask-agent.ts';
import { chooseDoor, type DoorOptions } from './choose-door.ts';

/** Blinks the light of the running agent for half a minute. Exit code 0, or 1 when none runs. */
export async function identify({ config, door }: DoorOptions, process: NodeJS.Process): Promise<number> {
  const unit = await loadConfig(config, process.env);
  const { journal } = door === undefined && unit.doors[0] ? unit.doors[0] : chooseDoor(unit, door);
  const view = await askOnce(journal, 'identify');
  if (view && unit.light) return 0;
  const problem = view ? 'This unit has no light: set light.line.' : 'No agent runs with this configuration.';
  process.stderr.write(`${problem}\n`);
  return 1;
}
