import { expect, test } from 'vitest';
import { readCommand } from './command-line.ts';
import { roleNames } from './roles.ts';

test.each([
  [[], [...roleNames]],
  [['--role', 'api'], ['api']],
  [['--role=alerts,gateway'], ['gateway', 'alerts']],
  [['--role', 'gateway, projector, api, alerts'], [...roleNames]],
])('%j runs the roles %j', (args, roles) => {
  expect(readCommand(args)).toEqual({ roles });
});

test.each([
  [['--role', 'broker'], '--role is "broker": expected one or more of gateway, projector, api, alerts'],
  [['--role', 'api,'], '--role is "api,": expected one or more of'],
  [['--role'], '--role is "": expected one or more of'],
  [['--port', '1883'], 'unknown argument "--port"'],
  [['serve'], 'unknown argument "serve"'],
])('refuses %j with exit code 2', (args, text) => {
  expect(readCommand(args)).toMatchObject({ exitCode: 2, text: expect.stringContaining(text) });
});

test('the help lists the settings of the chosen roles', () => {
  const all = readCommand(['--help']);
  const alerts = readCommand(['--role', 'alerts', '--help']);

  for (const name of ['DATABASE_URL', 'METRICS_PORT', 'MQTT_PORT', 'HTTP_PORT', 'SMTP_URL']) {
    expect(all).toMatchObject({ exitCode: 0, text: expect.stringContaining(`\n  ${name} `) });
  }
  expect(alerts).toMatchObject({ exitCode: 0, text: expect.stringContaining('\n  SMTP_URL ') });
  expect(alerts).not.toMatchObject({ text: expect.stringContaining('\n  MQTT_PORT ') });
});
