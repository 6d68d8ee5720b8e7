import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashSecret } from '@visitor-counter/database/credentials/credentials';
import { startProjector } from '@visitor-counter/database/projection/projector';
import { audited } from '@visitor-counter/test/audited';
import { createAuthority } from '@visitor-counter/test/certificates';
import { oneDoor } from '@visitor-counter/test/one-door';
import { startedOnce } from '@visitor-counter/test/started-once';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import type { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { adminOn } from '../test/run-admin.ts';
import { createProgram } from './program.ts';

const secret = 'a-secret-nobody-may-read';
const ofAcme = ['--company', 'Acme'];
const voids = ['--device', 'CU-1', '--from', '2026-11-20T10:00:00Z', '--until', '2026-11-20T11:00:00Z'];
const voidAll = [...voids, '--reason', 'test', '--yes'];
const target = ['ops', ...ofAcme];
const addTarget = [['alert', 'target', 'set', ...target, '--mail', 'ops@acme.example']];
const report = ['Weekly', ...ofAcme, '--period', 'weekly', '--recipients', 'ann@acme.example'];
const till = [...ofAcme, '--kind', 'counts', '--label', 'till'];
const enrolment = ['--store', 'S-1', '--certificate', 'CERTIFICATE'];
const settings = `{keep: {days: 60, password: 123456789}, detector: {secret: ${secret}}}`;
const apply = `companies: [{ name: Acme, stores: [{ sid: S-1, capacity: 9 }], devices: [{ serial: CU-1, secret: ${secret} }],
  credentials: [{ kind: staff, label: new, value: ${secret} }],
  alertTargets: [{ label: chat, url: "https://chat.example/${secret}" }] }]`;

/** Every command that only reads, with its arguments in the company of `someCompany`. Its connection cannot write. */
const reading: Readonly<Record<string, readonly string[]>> = {
  'company list': [],
  export: [],
  'store list': [],
  'token list': [],
  'device list': [],
  'device orders': ['CU-1'],
  'device diagnose': ['CU-1'],
  'enrolment list': [],
  'projection status': [],
  'rejected list': [],
  'rejected show': ['1'],
  'crossings voids': [],
  'alert list': [],
  'report list': [],
  'database migrate': [],
  audit: [],
  trace: ['CU-1', 'j', '1'],
};

interface Change {
  readonly args: readonly string[];
  readonly input?: string;
  /** The table that it changes. `none`: nothing that is still there afterwards. */
  readonly table: string;
  /** The commands that are run before it. */
  readonly before?: readonly (readonly string[])[];
}

/** Every other command. A new command must be added here or above. The test requires an entry in the audit log. */
const changing: Readonly<Record<string, Change>> = {
  apply: { args: ['-'], input: apply, table: 'store' },
  'company set': { args: ['Bell'], table: 'company' },
  'company remove': { before: [['company', 'set', 'Bell']], args: ['Bell'], table: 'company' },
  'store set': { args: ['S-9', ...ofAcme, '--name', 'Nine', '--time-zone', 'UTC'], table: 'store' },
  'store remove': { args: ['S-2', ...ofAcme], table: 'store' },
  'group set': { args: ['East', ...ofAcme, '--stores', 'S-1', 'S-2'], table: 'shop_group' },
  'group remove': { args: ['West', ...ofAcme], table: 'shop_group' },
  'token issue': { args: [...till, '--rotate', '--value', secret], table: 'credential' },
  'token revoke': { args: till, table: 'credential' },
  'token remove': { args: till, table: 'credential' },
  'device set': { args: ['CU-9', '--store', 'S-1', '--secret', secret], table: 'device' },
  'device replace': { args: ['CU-1', '--certificate', 'CERTIFICATE'], table: 'enrolment_code' },
  'device retire': { args: ['CU-1'], table: 'device' },
  'device revoke': { args: ['CU-1'], table: 'device' },
  'device rotate': { args: ['CU-1'], table: 'device' },
  'device configure': { args: ['CU-1', '--set', settings], table: 'device' },
  'device command': { args: ['CU-1', 'identify'], table: 'device_command' },
  'device update': { args: ['CU-1', '--to', '1.4.0', '--now'], table: 'device' },
  'device remove': { before: [['device', 'set', 'CU-9', '--store', 'S-1']], args: ['CU-9'], table: 'device' },
  'enrolment create': { args: enrolment, table: 'enrolment_code' },
  'enrolment revoke': {
    before: [['enrolment', 'create', ...enrolment]],
    args: ['1'],
    table: 'enrolment_code',
  },
  'projection rebuild': { args: [], table: 'none' },
  'rejected retry': { args: ['1'], table: 'rejected_message' },
  'rejected discard': { args: ['1'], table: 'rejected_message' },
  'crossings void': { args: voidAll, table: 'crossing' },
  'crossings restore': { before: [['crossings', 'void', ...voidAll]], args: ['1'], table: 'crossing' },
  'crossings declare-lost': { args: ['--device', 'CU-1', '--yes'], table: 'journal' },
  'alert rule set': { args: ['beam-blocked', ...ofAcme, '--after', '2m'], table: 'alert_rule' },
  'alert rule remove': {
    before: [['alert', 'rule', 'set', 'beam-blocked', ...ofAcme]],
    args: ['beam-blocked', ...ofAcme],
    table: 'alert_rule',
  },
  'alert target set': { args: [...target, '--url', `https://chat.example/${secret}`], table: 'alert_target' },
  'alert target remove': { before: addTarget, args: target, table: 'alert_target' },
  'alert test': { before: addTarget, args: target, table: 'alert' },
  'report set': { args: report, table: 'mail_report' },
  'report remove': {
    before: [['report', 'set', ...report]],
    args: ['Weekly', ...ofAcme],
    table: 'mail_report',
  },
};

/** Commands on files and on a whole installation. Their own tests check the audit log if they change it. */
const elsewhere = ['backup', 'restore', 'doctor', 'database setup'];

function namesOf(command: Command, path: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(' ')];
  return command.commands.flatMap((one) => namesOf(one, [...path, one.name()]));
}

test('lists every command of the command line', () => {
  const context = { env: {}, folder: '/', input: process.stdin, print: () => {}, printError: () => {} };
  const listed = [...Object.keys(reading), ...Object.keys(changing), ...elsewhere];
  expect(listed.sort()).toEqual(namesOf(createProgram(context)).sort());
});

const certificateFile = startedOnce(async (atEnd) => {
  const file = join(await temporaryFolder(atEnd), 'ca.pem');
  await writeFile(file, (await createAuthority('company')).cert);
  return file;
});

/** A company with stores, devices, a credential, crossings and a rejected message, and the commands on its database. */
async function someCompany() {
  const { url, rows, companyId, storeId, deviceId } = await oneDoor();
  await rows.store({ companyId, sid: 'S-2' });
  await rows.shopGroup(companyId, 'West', [storeId]);
  await rows.credential({ companyId, kind: 'counts', value: 'till', label: 'till' });
  const journalId = await rows.journal(deviceId, 'j');
  const at = Date.parse('2026-11-20T10:15:00Z');
  await rows.crossings([{ journalId, deviceId, storeId, sequence: 1, at, direction: 1 }]);
  const payload = JSON.stringify({ journal: 'j', first: 2, crossings: [[at, 1]] });
  await rows.query(`update journal set missing = '{[2,3]}', missing_since = now()`);
  await rows.query(
    `insert into rejected_message (device_id, topic, reason, payload, digest)
     values ($1, 'counter/v1/CU-1/crossings', 'instant: too far in the future', $2, $3)`,
    [deviceId, Buffer.from(payload), hashSecret(payload)],
  );
  const projector = startProjector({ url, applicationName: 'test projector', onProblem: () => {} });
  onTestFinished(() => projector.close());
  const admin = adminOn(url);
  const run = (args: readonly string[], input = '') =>
    admin(
      args.map((arg) => (arg === 'CERTIFICATE' ? certificateFile() : arg)),
      input,
    );
  return { url, run };
}

test('commands that only read change nothing, and leave no entry', async () => {
  const { url, run } = await someCompany();
  for (const [command, args] of Object.entries(reading)) {
    const { result, changed, entries } = await audited(url, () => run([...command.split(' '), ...args]));

    expect({ command, ...result }).toMatchObject({ command, code: 0, err: '' });
    expect({ command, changed, entries }).toEqual({ command, changed: [], entries: [] });
  }
});

test.each(Object.entries(changing))(
  '%s changes nothing without an entry in the audit log',
  async (command, { before = [], table, args, input }) => {
    const { url, run } = await someCompany();
    for (const earlier of before) expect(await run(earlier)).toMatchObject({ code: 0 });

    const words = [...command.split(' '), ...args];
    const { result, changed, entries } = await audited(url, () => run(words, input));

    expect(result).toMatchObject({ code: 0, err: '' });
    if (table !== 'none') expect(changed).toContain(table);
    expect(entries.length).toBeGreaterThan(0);
    for (const entry of entries)
      expect(entry).toMatchObject({
        author_kind: 'operator',
        author: 'anna',
        origin: expect.stringMatching(/.@./),
        action: expect.stringMatching(/./),
        subject: expect.stringMatching(/./),
      });
    expect(JSON.stringify(entries)).not.toContain(secret);
    expect(JSON.stringify(entries)).not.toContain('123456789');
    for (const word of result.out.match(/[\w-]{24,}/g) ?? [])
      expect(JSON.stringify(entries)).not.toContain(word);
  },
);

test('a command that has no effect leaves no entry', async () => {
  const { url, run } = await someCompany();
  await run(['device', 'revoke', 'CU-1']);
  const { entries } = await audited(url, async () => {
    await run(['device', 'revoke', 'CU-1']);
    await run(['device', 'set', 'CU-1', '--store', 'S-1']);
    await run(['token', 'revoke', '--company', 'Acme', '--kind', 'staff', '--label', 'none']);
    await run(['apply', '-'], 'companies: [{ name: Acme, stores: [{ sid: S-1, timeZone: Mars }] }]');
  });
  expect(entries).toEqual([]);
});
