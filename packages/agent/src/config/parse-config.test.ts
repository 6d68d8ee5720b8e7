import { expect, test } from 'vitest';
import { parseConfig } from './parse-config.ts';

const good = `
serial: CU-1
secret: secret-of-the-unit
server: mqtt://127.0.0.1:1883
journal: journal
beams: { source: simulated, profile: p.csv, timeZone: Europe/Berlin, startsOn: 2026-01-04, overlays: [0, 7] }
`;

test('reads a whole configuration', () => {
  expect(parseConfig(good, {})).toEqual({
    serial: 'CU-1',
    secret: 'secret-of-the-unit',
    server: 'mqtt://127.0.0.1:1883',
    journal: 'journal',
    beams: {
      source: 'simulated',
      profile: 'p.csv',
      timeZone: 'Europe/Berlin',
      startsOn: '2026-01-04',
      overlays: [0, 7],
    },
  });
});

test('variables take precedence, also over what is missing in the file', () => {
  const env = {
    COUNTER_SERVER: 'mqtts://counter.example:8883',
    COUNTER_SERIAL: 'CU-2',
    COUNTER_SECRET: 'other',
    COUNTER_JOURNAL: '/var/lib/counter',
  };
  const { server, serial, secret, journal } = parseConfig(
    good.replace('secret: secret-of-the-unit', ''),
    env,
  );
  expect([server, serial, secret, journal]).toEqual(Object.values(env));
});

test.each([
  ['serial: CU-1', 'serial: "a/b"', /^serial is "a\/b": expected/],
  ['serial: CU-1', '', /^serial is not set/],
  ['secret: secret-of-the-unit', 'secret: 17', /^secret is "…": expected string/],
  ['mqtt://127', 'http://127', /^server is "http:.*": expected mqtt:\/\/host:port or mqtts/],
  ['simulated', 'lidar', /^beams.source is "lidar": expected one of gpio, simulated, replay/],
  ['profile: p.csv, ', '', /^beams.profile is not set/],
  ['profile:', 'profil:', /^beams.profil is "p.csv": expected no such key/],
  ['Europe/Berlin', 'Europe/Nowhere', /^beams.timeZone is "Europe\/Nowhere"/],
  ['2026-01-04', '2026-02-30', /^beams.startsOn is "2026-02-30"/],
  ['[0, 7]', '[-1]', /^beams.overlays.0 is "-1"/],
  ['journal: journal', 'journal: journal\nuplink: { window: 0 }', /^uplink.window is "0": expected >= 1/],
  ['journal: journal', 'journal: [', /^the configuration file is .*: expected YAML/],
])('%s as %j is refused by name', (from, to, message) => {
  expect(() => parseConfig(good.replace(from, to), {})).toThrow(message);
});
