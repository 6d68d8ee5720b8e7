import { expect, test } from 'vitest';
import { referenceOfSettings } from '../test/settings-reference.ts';
import { operatorOptions, roleNames, settingsOf } from './roles.ts';

const groups = settingsOf(roleNames);
const all = groups.flatMap(({ settings }) => Object.entries(settings));

test('each setting has one row, one sentence or more, and a default that can be used', () => {
  const names = all.map(([name]) => name);

  expect(new Set(names).size).toBe(names.length);
  for (const [name, { does, kind, ...setting }] of all) {
    expect.soft(does, name).toMatch(/^[A-Z`].*\.$/);
    if (setting.default !== undefined) expect.soft(kind.parse(setting.default), name).toBeDefined();
  }
});

test('docs/configuration.md is the reference of all settings', async () => {
  const text = `# Configuration

<!-- Generated from the settings of the programs by packages/server/src/roles.test.ts -->

On this page you can look up what each setting of the server decides, which values it accepts, and what applies without it.

The settings of the server, and of each of its roles, are environment variables. An empty one counts as not set. A setting that may contain a secret can be in a file instead: \`<name>_FILE\` is its path. A value that cannot
be used ends the program with exit code 2 and a line that names the variable, the value and what was expected. A port of 0 is any
free one; the line \`ready\` in the log shows it.

The demonstration accepts the same variables. It replaces a default port that is taken by the next free one, but not a
port that you have set. \`npx pnpm admin\` uses
\`DATABASE_…\`, \`DATA_DIR\`, \`BACKUP_DIR\`, \`SECRETS_…\` and \`HTTP_TLS_CERT\`; its command \`doctor\` checks all of them.

${referenceOfSettings(groups)}`;

  await expect(text).toMatchFileSnapshot('../../../docs/configuration.md');
});

test('health checks and metrics have a default port for each first role', () => {
  const portOf = (...roles: Parameters<typeof operatorOptions>[1]) => operatorOptions({}, roles);

  expect(portOf('gateway', 'api')).toMatchObject({ operator: { port: 9465, isDefault: true } });
  expect(portOf('projector')).toMatchObject({ operator: { port: 9468 } });
  expect(portOf('api')).toMatchObject({ operator: { host: '127.0.0.1', port: 9466 } });
  expect(portOf('alerts')).toMatchObject({ operator: { port: 9467 } });
  expect(operatorOptions({ METRICS_PORT: '1234', METRICS_HOST: '::' }, ['api'])).toEqual({
    operator: { host: '::', port: 1234, setting: 'METRICS_PORT', isDefault: false },
    disks: ['/'],
  });
});
