import { makeEnrolmentCode } from '@visitor-counter/domain/enrolment-code';
import { expect, test } from 'vitest';
import { Redaction, redacted } from './redaction.ts';

const privateKey = `-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIB\n-----END PRIVATE KEY-----`;
const code = makeEnrolmentCode(new Uint8Array(13).fill(7), 'ABCDEFGHJKMNPQRS');

test.each([
  ['a known secret', 'secret of CU-1', 'login with secret of CU-1 failed'],
  ['a known secret in JSON', 'pass "word" 1', String.raw`{"said":"pass \"word\" 1"}`],
  ['a known secret in a URL', 'a b/c?1', 'GET /?x=a%20b%2Fc%3F1'],
  ['a known secret in capitals', 'secret of CU-1', 'login with SECRET OF CU-1 failed'],
  [
    'a known secret in hexadecimal capitals',
    'secret of CU-1',
    Buffer.from('secret of CU-1').toString('hex').toUpperCase(),
  ],
  ['a known secret in base64', 'secret of CU-1', Buffer.from('secret of CU-1').toString('base64url')],
])('removes %s', (_, secret, text) => {
  const shown = new Redaction([secret]).text(text);
  expect(shown).not.toBe(text);
  expect(shown).toContain(redacted);
  expect(shown.toLowerCase()).not.toContain(secret.toLowerCase());
});

test.each([
  ['enrolment codes', code, `enrolling with ${code}`],
  [
    'enrolment codes as people type them',
    code.toLowerCase().replaceAll('-', ' '),
    `code ${code.toLowerCase().replaceAll('-', ' ')}`,
  ],
  ['passwords of wireless networks', 'p@ss, word', 'wifi password: p@ss, word'],
  ['passwords in wpa_supplicant', 'hunter22', 'network={ ssid="Shop" psk="hunter22" }'],
  ['names of wireless networks', 'Shop at 5th', 'associated with SSID: Shop at 5th'],
  ['names of wireless networks in wpa_supplicant', 'Shop', 'network={ ssid="Shop" psk="hunter22" }'],
  ['names of wireless networks after their name', 'Shop5th', 'essid Shop5th is out of range'],
  ['passwords after their name', 'hunter22', 'connected with password hunter22'],
  ['passwords of the option', 'hunter22', 'package:sd --wifi Shop:hunter22'],
  ['settings in a frame of YAML', 'abc1', 'unexpected token\n  secret: abc1\n          ^'],
  ['settings in a map', 'abc1', '{ serial: CU-1, secret: abc1 }'],
  ['variables', 'abc1', 'COUNTER_SECRET=abc1'],
  ['credentials in URLs', 'hunter', 'connecting to mqtts://user:hunter@broker.example:8883'],
  ['headers', 'dXNlcjpwdw==', 'authorization Basic dXNlcjpwdw=='],
  ['tokens', 'eyJhbGciOiJIUzI1NiJ9', 'sent eyJhbGciOiJIUzI1NiJ9'],
  ['hashes', `${'c'.repeat(20)}1234567890ab`, `key ${'c'.repeat(20)}1234567890ab`],
  ['private keys', 'MC4CAQAwBQYDK2VwBCIEIB', privateKey],
  ['private keys that are cut off', 'MC4C', privateKey.slice(0, 34)],
])('removes %s that no configuration contains', (_, secret, text) => {
  const redaction = new Redaction([]);
  expect(redaction.text(text)).not.toContain(secret);
  const logged = redaction.line(JSON.stringify({ msg: text, err: { stack: text }, list: [text] }));
  expect(logged).not.toContain(JSON.stringify(secret).slice(1, -1));
  expect(JSON.parse(logged)).toHaveProperty('msg');
});

test('removes the values of fields by their names, whatever they are', () => {
  const fields = {
    wifi: { name: 'Shop', pin: 12 },
    accessToken: 'a',
    nested: [{ secret: 7 }],
    Authorization: ['b'],
  };
  expect(JSON.parse(new Redaction([]).line(JSON.stringify(fields)))).toEqual({
    wifi: redacted,
    accessToken: redacted,
    Authorization: redacted,
    nested: [{ secret: redacted }],
  });
});

test('preserves the information that is needed to understand a unit', () => {
  const journal = '5f0c4b1d9be84d6a8c8b6e0f7a3d2e19';
  const redaction = new Redaction(['secret of CU-1'], [journal]);
  const line = {
    level: 40,
    time: '2026-11-22T14:25:19.123Z',
    service: 'agent',
    code: 'ECONNREFUSED',
    journal,
    reason: 'connect ECONNREFUSED 10.0.0.7:8883',
    stack: 'Error: x\n    at processTicksAndRejections (node:internal/process/task_queues:103:5)',
  };
  expect(JSON.parse(redaction.line(JSON.stringify(line)))).toEqual(line);
  for (const text of [
    'the server does not accept serial CU-1 with this secret',
    'check `serial` and `secret`, or enrol the unit again',
    '/etc/visitor-counter/unit.yaml: 25000 MB free',
    'plug in the cable, or set up Wi-Fi: `nmtui`',
    '2 of 2 passed; the tokens of the beams',
  ])
    expect(redaction.text(text)).toBe(text);
});
