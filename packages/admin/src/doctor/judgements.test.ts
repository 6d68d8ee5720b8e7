import { expect, test } from 'vitest';
import { judgeUnits } from './check-counting.ts';
import { judgeDatabase } from './check-database.ts';
import { judgeDisk } from './check-machine.ts';
import { installationOf } from './installation.ts';

const installation = installationOf({});
const GB = 1e9;

test.each([
  [{ size: 10 * GB, free: 0.99 * GB }, 0, 'problem'],
  [{ size: 100 * GB, free: 9.9 * GB }, 0, 'warning'],
  [{ size: 100 * GB, free: 20 * GB }, 21 * GB, 'warning'],
  [{ size: 100 * GB, free: 20 * GB }, 20 * GB, 'ok'],
])('judges a disk %o with a database of %i bytes as %s', (disk, databaseSize, status) => {
  expect(judgeDisk({ folder: '/srv', ...disk }, databaseSize)).toMatchObject({ status });
});

const now = Date.parse('2026-11-23T12:00:00Z');
const before = (minutes: number) => now - minutes * 60_000;
const unit = {
  serial: 'CU-1',
  online: false,
  registeredAt: before(60),
  lastActivityAt: before(15),
  retiredAt: null,
  secretRevokedAt: null,
};

test.each([
  [{}, '1 of 1 silent: CU-1 (for 15m)'],
  [{ lastActivityAt: before(14) }, 'none of 1 is silent'],
  [{ online: true }, 'none of 1 is silent'],
  [{ lastActivityAt: null, registeredAt: before(14) }, 'none of 1 is silent'],
  [{ secretRevokedAt: before(1) }, 'none is registered'],
])('judges a unit that was active 15 minutes ago, with %o: %s', (given, finding) => {
  expect(judgeUnits([{ ...unit, ...given }], now, installation)).toMatchObject({ finding });
});

const here = 'postgres://server@127.0.0.1/counter';
const facts = {
  versionNumber: 150_000,
  version: '15.0',
  name: 'counter',
  user: 'server',
  isSuperuser: false,
  isStandby: false,
  settings: { max_connections: '43' },
  size: 0,
  serverAddress: null,
  dataDirectory: null,
};
test.each([
  [{}, here, []],
  [{ versionNumber: 140_018, version: '14.18' }, here, ['PostgreSQL 14.18 is too old']],
  [{ isStandby: true }, here, ['it is a standby and accepts no writes']],
  [{ settings: { max_connections: '42' } }, here, [expect.stringMatching(/^max_connections is 42; .* 43$/)]],
  [{ isSuperuser: true }, here, ['the server is the superuser server of PostgreSQL']],
  [{}, 'postgres://db.example/x', ['the connection to another machine may be unencrypted']],
  [{}, 'postgres://db.example/x?sslmode=verify-full', []],
])('judges a database with %o at %s', (given, url, expected) => {
  const findings = judgeDatabase({ ...facts, ...given }, { url, isEmbedded: false }, installation);
  expect(findings.filter(({ status }) => status !== 'ok').map(({ finding }) => finding)).toEqual(expected);
});

test('accepts the superuser of the embedded PostgreSQL', () => {
  const embedded = judgeDatabase(
    { ...facts, isSuperuser: true },
    { url: here, isEmbedded: true },
    installation,
  );
  expect(embedded.map(({ status }) => status)).not.toContain('warning');
});
