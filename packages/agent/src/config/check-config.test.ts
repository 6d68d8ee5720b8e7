import { expect, test } from 'vitest';
import { requireSafeServer } from './check-config.ts';
import { parseConfig } from './parse-config.ts';

const yaml = (server: string, more = '') =>
  `serial: CU-1\nsecret: s\nserver: ${server}\n${more}beams:\n  source: replay\n  file: door.csv\n`;

test('sends the secret without TLS to this machine only, unless the file allows it', () => {
  const check = (server: string, more?: string) => () => requireSafeServer(parseConfig(yaml(server, more)));
  for (const host of ['127.0.0.1:1883', 'localhost', '[::1]:1883', '127.8.9.1'])
    expect(check(`mqtt://${host}`)).not.toThrow();
  expect(check('mqtts://counter.example:8883')).not.toThrow();
  for (const host of [
    'counter.example',
    '10.0.0.1:1883',
    '127.0.0.1.evil.example',
    '0.0.0.0',
    'localhost.example',
  ])
    expect(check(`mqtt://${host}`)).toThrow(/^server is "mqtt:.*allowPlainMqtt: true/);
  expect(check('mqtt://counter.example', 'allowPlainMqtt: true\n')).not.toThrow();
});
