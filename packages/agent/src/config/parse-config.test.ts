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
  expect(parseConfig(good)).toEqual({
    server: 'mqtt://127.0.0.1:1883',
    doors: [
      {
        serial: 'CU-1',
        secret: 'secret-of-the-unit',
        journal: 'journal',
        beams: {
          source: 'simulated',
          profile: 'p.csv',
          timeZone: 'Europe/Berlin',
          startsOn: '2026-01-04',
          overlays: [0, 7],
        },
      },
    ],
  });
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
  [
    'journal: journal',
    'journal: journal\nuplink: { heartbeatSeconds: 0 }',
    /^uplink.heartbeatSeconds is "0": expected >= 1/,
  ],
  ['journal: journal', 'jurnal: journal', /^jurnal is "journal": expected no such key/],
  [
    'journal: journal',
    'journal: journal\noneBeam: { direction: up }',
    /^oneBeam.direction is "up": expected one of in, out/,
  ],
  ['journal: journal', 'journal: [', /^the configuration file is .*: expected YAML/],
])('%s as %j is refused by name', (from, to, message) => {
  expect(() => parseConfig(good.replace(from, to))).toThrow(message);
});

const doors = `
server: mqtts://counter.example
light: { line: GPIO22 }
doors:
  - { serial: CU-1, secret: s1, journal: j1, beams: { source: gpio, a: { line: GPIO17 }, b: { line: GPIO27 } } }
  - serial: CU-2
    secret: s2
    journal: j2
    oneBeam: { direction: out, refractory: 900 }
    beams: { source: gpio, bias: disabled, a: { line: GPIO5, activeLow: true } }
`;

test('reads several doors, each a device of its own', () => {
  expect(parseConfig(doors)).toMatchObject({
    server: 'mqtts://counter.example',
    light: { line: 'GPIO22' },
    doors: [{ serial: 'CU-1' }, { serial: 'CU-2', oneBeam: { direction: 'out', refractory: 900 } }],
  });
});
