import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { emptyDatabase } from '../../test/apply-text.ts';
import { someCompany } from '../../test/some-company.ts';

const settled = `
    alertRules: [{ kind: device-inactive, after: 10m, enabled: false }, { kind: capacity-reached }, { kind: disk-low, threshold: 10% }]
    alertTargets: [{ label: ops, url: "https://hooks.example/secret-path" }, { label: boss, mail: b@acme.example, language: de }]
    reports: [{ name: Daily, period: daily, recipients: [a@acme.example], hour: 7, group: West },
      { name: Weekly, period: weekly, recipients: [a@acme.example], stores: [S-1], enabled: false }]`;
const acme = `
companies:
  - name: Acme
    retentionMonths: 24
    stores:
      - sid: S-1
        name: "Main \u202e Door"
        timeZone: Europe/Berlin
        capacity: 40
        openingHours: { week: { monday: ["09:00-18:00"] }, exceptions: [{ date: "2026-12-25", open: [], note: Christmas }] }
        staff: { since: "2026-11-23", week: { monday: [{ at: "08:45", people: 4 }] } }
    shopGroups: [{ name: West, stores: [S-1] }]
    devices: [{ serial: CU-1, store: S-1, secret: a secret of the file }]
    credentials: [{ kind: staff, label: office, settings: true, stores: [S-1], expires: 2030-01-31 }, { kind: counts, label: gone }]${settled}`;

test('exports a file that changes nothing when it is applied', async () => {
  const { run } = await emptyDatabase();
  await run(['apply', '-'], acme);
  await run(['token', 'revoke', '--company', 'Acme', '--kind', 'counts', '--label', 'gone']);
  for (const args of [['export'], ['export', '--company', 'acme', '--json']]) {
    const { out } = await run(args);
    expect(out).not.toContain('secret');
    expect(out).not.toContain('gone');
    const applied = await run(['apply', '-', '--json'], out);
    expect(applied.err).toBe('');
    expect(JSON.parse(applied.out)).toEqual({ changes: [], secrets: [], unchanged: 12 });
  }
});

test('the export of any company changes nothing, and makes an equal company in another database', async () => {
  const [{ run, apply }, other] = [await emptyDatabase(), await emptyDatabase()];
  await fc.assert(
    fc.asyncProperty(someCompany, async (entry) => {
      await apply(stringify({ companies: [entry] }, { aliasDuplicateObjects: false }));
      const { out } = await run(['export', '--company', entry.name]);
      expect((await apply(out)).changes).toEqual([]);
      await other.apply(out);
      expect((await other.run(['export', '--company', entry.name])).out).toBe(out);
    }),
    { numRuns: 20 },
  );
});

test('shows what a file would change, and changes nothing, with --dry-run', async () => {
  const { run, rows } = await emptyDatabase();
  await run(['company', 'set', 'Acme']);
  const before = await rows('select * from audit_entry');

  const { code, out } = await run(['apply', '-', '--dry-run'], acme);

  expect(code).toBe(0);
  expect(out).toContain('created store S-1 of Acme');
  expect(out).toContain('changed company Acme: retentionMonths');
  expect(out).toMatch(/nothing was changed$/);
  expect(out).not.toContain('New secrets');
  expect(await rows('select * from store')).toEqual([]);
  expect(await rows('select * from audit_entry')).toEqual(before);
  expect((await run(['apply', '-', '--dry-run'], 'companies: [{}]')).code).toBe(2);
});
