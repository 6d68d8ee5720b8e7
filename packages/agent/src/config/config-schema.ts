import Type from 'typebox';
import { doorKeys, unitKeys } from './agent-config.ts';
import { beamsShapes } from './beams-config.ts';

const closed = { additionalProperties: false };

/** The JSON schema of the configuration file, for editors: one door at the top level, or several in `doors`. */
export function configSchema(): object {
  const keys = doorKeys(Type.Union(Object.values(beamsShapes)));
  const oneDoor = Type.Object({ ...unitKeys, ...keys }, closed);
  const doors = Type.Array(Type.Object(keys, closed), { minItems: 1 });
  const severalDoors = Type.Object({ ...unitKeys, doors }, closed);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of a counter unit',
    anyOf: [oneDoor, severalDoors],
  };
}
