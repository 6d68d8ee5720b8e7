import { expect, test } from 'vitest';
import { InvalidFileError } from './problems.ts';
import { readTopology } from './read-topology.ts';

function problemsOf(text: string): string[] {
  try {
    readTopology(text, 'f.yaml');
    return [];
  } catch (error) {
    if (!(error instanceof InvalidFileError)) throw error;
    return error.message.split('\n').slice(0, -1);
  }
}

/** One company with one property, as YAML. */
const company = (rest: string) => `companies:\n  - name: Acme\n${rest.replaceAll(/^/gm, '    ')}`;

test('reports every problem with file, path, value and expectation', () => {
  const text = `
companies:
  - name: Acme
    stores:
      - { sid: 1, name: Door, timeZone: Mars/Phobos, dayStartsAt: "24:00" }
      - { sid: S-1, name: Door, timezone: UTC }
      - { sid: S-1 }
      - door
    shopGroups:
      - { name: West, stores: [S-1, S-1] }
      - { name: ' WEST ' }
    devices:
      - { serial: CU/1, store: S-1, secret: short, since: yesterday, retired: "yes" }
      - { name: nameless }
    credentials:
      - { kind: count, label: till, value: 5, expires: 30d }
      - { kind: counts, label: a, value: the same long value }
      - { kind: staff, label: b, value: the same long value }
      - { kind: counts, label: a }
  - name: ACME
    stores: {}
oops: true
`;
  expect(problemsOf(text)).toEqual([
    'f.yaml: oops is not known: expected nothing but companies',
    'f.yaml: companies[0].stores[0].sid is 1: expected text of 1 to 200 printable characters without spaces around it, in quotes',
    'f.yaml: companies[0].stores[0].timeZone is "Mars/Phobos": expected an IANA time zone, such as Europe/Berlin',
    'f.yaml: companies[0].stores[0].dayStartsAt is "24:00": expected a time of day "HH:MM" that is a multiple of 15 minutes, such as "00:00" or "04:30"',
    'f.yaml: companies[0].stores[1].timezone is not known: expected nothing but sid, name, address, city, timeZone, dayStartsAt, capacity, openingHours, staff',
    'f.yaml: companies[0].stores[2].sid is "S-1": expected a value other than that of companies[0].stores[1].sid',
    'f.yaml: companies[0].stores[3] is "door": expected a mapping with sid, name, address, city, timeZone, dayStartsAt, capacity, openingHours, staff',
    'f.yaml: companies[0].shopGroups[1].name is " WEST ": expected a value other than that of companies[0].shopGroups[0].name',
    'f.yaml: companies[0].devices[0].serial is "CU/1": expected a serial number: 1 to 64 letters, digits, dots, hyphens and underscores',
    'f.yaml: companies[0].devices[0].since is "yesterday": expected an instant from 1970 on with its offset, such as 2026-11-20T10:15:30+01:00',
    'f.yaml: companies[0].devices[0].secret has 5 characters (not shown): expected text of 16 to 256 characters, ASCII only, without spaces around it, hard to guess',
    'f.yaml: companies[0].devices[0].retired is "yes": expected true or false',
    'f.yaml: companies[0].devices[1].serial is missing: expected a serial number: 1 to 64 letters, digits, dots, hyphens and underscores',
    'f.yaml: companies[0].credentials[0].kind is "count": expected one of counts, life-signal, staff, sales',
    'f.yaml: companies[0].credentials[0].value is not text: expected text of 16 to 256 characters, ASCII only, without spaces around it, hard to guess, in quotes',
    'f.yaml: companies[0].credentials[0].expires is "30d": expected never, a date, or an instant with its offset, such as 2027-01-31 or 2027-01-31T18:00:00Z',
    'f.yaml: companies[0].credentials[3].label is "a": expected a value other than that of companies[0].credentials[1].label',
    'f.yaml: companies[1].stores is {}: expected a list',
    'f.yaml: companies[1].name is "ACME": expected a value other than that of companies[0].name',
  ]);
});

test.each([
  ['nothing', '', 'document is null: expected a mapping with companies'],
  ['a list', '[1]', 'document is [1]: expected a mapping with companies'],
  ['an empty key', 'companies:', 'companies is null: expected a list'],
  ['no companies', '{}', 'companies is missing: expected a list'],
  ['a company without a name', 'companies: [{}]', 'companies[0].name is missing: expected a name'],
  [
    'a report without recipients',
    company('reports: [{ name: Weekly, recipients: [] }]'),
    'companies[0].reports[0].recipients is []: expected a list of 1 to 20 e-mail addresses',
  ],
  ['a duplicate key', company('name: Acme'), 'document cannot be read: Map keys must be unique'],
  ['an alias', 'a: &x 1\nb: *x', 'document cannot be read: it has an alias'],
  ['a tag', 'companies: !secret x', 'document cannot be read: Unresolved tag'],
  ['two documents', 'a: 1\n---\nb: 1', 'document cannot be read: Source contains multiple documents'],
  ['deep nesting', '['.repeat(50_000), 'document cannot be read: '],
  ['a NUL', 'companies: [{ name: "a\\0" }]', 'companies[0].name is "a\\u0000": expected a name'],
  [
    'half a character',
    'companies: [{ name: "a\\ud800" }]',
    'companies[0].name is "a\\ud800": expected a name',
  ],
  [
    'an offset as time zone',
    company('stores: [{ sid: s, timeZone: "+01:00" }]'),
    'companies[0].stores[0].timeZone',
  ],
])('rejects %s', (_, text, problem) => {
  expect(problemsOf(text)[0]).toContain(`f.yaml: ${problem}`);
});

test('reads the example of the interface document', () => {
  const text = `
companies:
  - name: Acme
    stores:
      - { sid: "S-1", name: Main Door, address: 1 High St, city: Irvine, timeZone: America/Los_Angeles, dayStartsAt: "00:00" }
    shopGroups:
      - { name: West, stores: ["S-1"] }
    devices:
      - { serial: CU-0001, name: CU-0001, store: "S-1", secret: "optional, at least 16 characters" }
    credentials:
      - { kind: counts, label: till, value: "optional, at least 16 characters" }
      - { kind: life-signal, label: noc }
`;
  expect(readTopology(text, 'f.yaml')[0]?.owned.map(({ key }) => key)).toEqual([
    'S-1',
    'West',
    'CU-0001',
    'counts/till',
    'life-signal/noc',
  ]);
});
