import Type, { type TProperties } from 'typebox';
import { expect, test } from 'vitest';
import { beamsShapes, closedObject, doorKeys, unitKeys } from './agent-config.ts';

/**
 * The JSON schema of the configuration file, for editors: one door at the top level, or several in `doors`. Each key is
 * described once, in `$defs`.
 */
function configSchema(): object {
  const ofDoor = { ...doorKeys, beams: Type.Union(Object.values(beamsShapes)) };
  const $defs = { ...unitKeys, ...ofDoor };
  const referred = (keys: TProperties) =>
    Object.entries(keys).map(([key, schema]) => {
      const reference = Type.Unsafe({ $ref: `#/$defs/${key}` });
      return [key, Type.IsOptional(schema) ? Type.Optional(reference) : reference] as const;
    });
  const [unit, door] = [referred(unitKeys), Object.fromEntries(referred(ofDoor))];
  const doors = Type.Array(closedObject(door), { minItems: 1 });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of a counter unit',
    $defs,
    anyOf: [
      { ...Object.fromEntries(unit), ...door },
      { ...Object.fromEntries(unit), doors },
    ].map(closedObject),
  };
}

test('the schema that is shipped is the one that configurations are checked against', async () => {
  await expect(`${JSON.stringify(configSchema(), null, 2)}\n`).toMatchFileSnapshot(
    '../../agent-config.schema.json',
  );
});
