import { expect, test } from 'vitest';
import { configSchema } from './config-schema.ts';

test('the schema that is shipped is the one that configurations are checked against', async () => {
  await expect(`${JSON.stringify(configSchema(), null, 2)}\n`).toMatchFileSnapshot(
    '../../agent-config.schema.json',
  );
});
