import Type from 'typebox';
import { expect, test } from 'vitest';
import { beamsShapes, closedObject, doorKeys, unitKeys } from './agent-config.ts';

/** The JSON schema of the configuration file, for editors: one door at the top level, or several in `doors`. */
function configSchema(): object {
  const keys = doorKeys(Type.Union(Object.values(beamsShapes)));
  const oneDoor = closedObject({ ...unitKeys, ...keys });
  const doors = Type.Array(closedObject(keys), { minItems: 1 });
  const severalDoors = closedObject({ ...unitKeys, doors });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of a counter unit',
    anyOf: [oneDoor, severalDoors],
  };
}

test('the schema that is shipped is the one that configurations are checked against', async () => {
  await expect(`${JSON.stringify(configSchema(), null, 2)}\n`).toMatchFileSnapshot(
    '../../agent-config.schema.json',
  );
});
