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

/** How a command is called in the company of `someCompany`. */
interface Example {
  readonly args: readonly string[];
  readonly input?: string;
  /** The table that it changes; left out for a command that only reads. `none`: nothing that is still there afterwards. */
  readonly changes?: string;
  /** The commands that are run before it. */
  readonly before?: readonly (readonly string[])[];
}

const secret = 'a-secret-nobody-may-read';
const voids = ['--device', 'CU-1', '--from', '2026-11-20T10:00:00Z', '--until', '2026-11-20T11:00:00Z'];
const voidAll = ['crossings', 'void', ...voids, '--reason', 'test', '--yes'];
const target = ['alert', 'target', 'set', 'ops', '--company', 'Acme'];
const report = ['report', 'set', 'Weekly', '--company', 'Acme'];
const till = ['--company', 'Acme', '--kind', 'counts', '--label', 'till'];
const certificate = ['--certificate', 'CERTIFICATE'];
const apply = `companies: [{ name: Acme, stores: [{ sid: S-1, capacity: 9 }], devices: [{ serial: CU-1, secret: ${secret} }],
  credentials: [{ kind: staff, label: new, value: ${secret} }],
  alertTargets: [{ label: chat, url: "https://chat.example/${secret}" }] }]`;

/**
 * Every command. A new command must be added here. For a command that changes something, the table that it changes is
 * required, and the test requires an entry in the audit log. Commands that only read have a connection that cannot write.
 */
const examples: Readonly<Record<string, Example>> = {
  apply: { args: ['apply', '-'], input: apply, changes: 'store' },
  'company list': { args: ['company', 'list'] },
  'company remove': {
    before: [['company', 'set', 'Bell']],
    args: ['company', 'remove', 'Bell'],
    changes: 'company',
  },
  export: { args: ['export'] },
  'store remove': { args: ['store', 'remove', 'S-2', '--company', 'Acme'], changes: 'store' },
  'group set': {
    args: ['group', 'set', 'East', '--company', 'Acme', '--stores', 'S-1', 'S-2'],
    changes: 'shop_group',
  },
  'group remove': {
    args: ['group', 'remove', 'West', '--company', 'Acme'],
    changes: 'shop_group',
  },
  'token remove': { args: ['token', 'remove', ...till], changes: 'credential' },
  'device remove': {
    before: [['device', 'set', 'CU-9', '--store', 'S-1']],
    args: ['device', 'remove', 'CU-9'],
    changes: 'device',
  },
  'alert rule remove': {
    before: [['alert', 'rule', 'set', 'beam-blocked', '--company', 'Acme']],
    args: ['alert', 'rule', 'remove', 'beam-blocked', '--company', 'Acme'],
    changes: 'alert_rule',
  },
  'alert target remove': {
    before: [[...target, '--mail', 'ops@acme.example']],
    args: ['alert', 'target', 'remove', 'ops', '--company', 'Acme'],
    changes: 'alert_target',
  },
  'company set': { args: ['company', 'set', 'Bell'], changes: 'company' },
  'store set': {
    args: ['store', 'set', 'S-9', '--company', 'Acme', '--name', 'Nine', '--time-zone', 'UTC'],
    changes: 'store',
  },
  'store list': { args: ['store', 'list'] },
  'token issue': {
    args: ['token', 'issue', ...till, '--rotate', '--value', secret],
    changes: 'credential',
  },
  'token list': { args: ['token', 'list'] },
  'token revoke': { args: ['token', 'revoke', ...till], changes: 'credential' },
  'device list': { args: ['device', 'list'] },
  'device set': { args: ['device', 'set', 'CU-9', '--store', 'S-1', '--secret', secret], changes: 'device' },
  'device replace': { args: ['device', 'replace', 'CU-1', ...certificate], changes: 'enrolment_code' },
  'device retire': { args: ['device', 'retire', 'CU-1'], changes: 'device' },
  'device revoke': { args: ['device', 'revoke', 'CU-1'], changes: 'device' },
  'device rotate': { args: ['device', 'rotate', 'CU-1'], changes: 'device' },
  'device configure': {
    args: [
      'device',
      'configure',
      'CU-1',
      '--set',
      `{keep: {days: 60, password: 123456789}, detector: {secret: ${secret}}}`,
    ],
    changes: 'device',
  },
  'device orders': { args: ['device', 'orders', 'CU-1'] },
  'device command': { args: ['device', 'command', 'CU-1', 'identify'], changes: 'device_command' },
  'device update': { args: ['device', 'update', 'CU-1', '--to', '1.4.0', '--now'], changes: 'device' },
  'device diagnose': { args: ['device', 'diagnose', 'CU-1'] },
  'enrolment create': {
    args: ['enrolment', 'create', '--store', 'S-1', ...certificate],
    changes: 'enrolment_code',
  },
  'enrolment list': { args: ['enrolment', 'list'] },
  'enrolment revoke': {
    before: [['enrolment', 'create', '--store', 'S-1', ...certificate]],
    args: ['enrolment', 'revoke', '1'],
    changes: 'enrolment_code',
  },
  'projection status': { args: ['projection', 'status'] },
  'projection rebuild': { args: ['projection', 'rebuild'], changes: 'none' },
  'rejected list': { args: ['rejected', 'list'] },
  'rejected show': { args: ['rejected', 'show', '1'] },
  'rejected retry': { args: ['rejected', 'retry', '1'], changes: 'rejected_message' },
  'rejected discard': { args: ['rejected', 'discard', '1'], changes: 'rejected_message' },
  'crossings void': { args: voidAll, changes: 'crossing' },
  'crossings voids': { args: ['crossings', 'voids'] },
  'crossings restore': { before: [voidAll], args: ['crossings', 'restore', '1'], changes: 'crossing' },
  'crossings declare-lost': {
    args: ['crossings', 'declare-lost', '--device', 'CU-1', '--yes'],
    changes: 'journal',
  },
  'alert list': { args: ['alert', 'list'] },
  'alert rule set': {
    args: ['alert', 'rule', 'set', 'beam-blocked', '--company', 'Acme', '--after', '2m'],
    changes: 'alert_rule',
  },
  'alert target set': {
    args: [...target, '--url', `https://chat.example/${secret}`],
    changes: 'alert_target',
  },
  'alert test': {
    before: [[...target, '--mail', 'ops@acme.example']],
    args: ['alert', 'test', 'ops', '--company', 'Acme'],
    changes: 'alert',
  },
  'report set': {
    args: [...report, '--period', 'weekly', '--recipients', 'ann@acme.example'],
    changes: 'mail_report',
  },
  'report list': { args: ['report', 'list'] },
  'report remove': {
    before: [[...report, '--period', 'weekly', '--recipients', 'ann@acme.example']],
    args: ['report', 'remove', 'Weekly', '--company', 'Acme'],
    changes: 'mail_report',
  },
  'database migrate': { args: ['database', 'migrate'] },
  audit: { args: ['audit'] },
  trace: { args: ['trace', 'CU-1', 'j', '1'] },
};

/** Commands on files and on a whole installation. Their own tests check the audit log if they change it. */
const elsewhere = ['backup', 'restore', 'doctor', 'database setup'];

function namesOf(command: Command, path: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(' ')];
  return command.commands.flatMap((one) => namesOf(one, [...path, one.name()]));
}

test('lists every command of the command line', () => {
  const context = { env: {}, folder: '/', input: process.stdin, print: () => {}, printError: () => {} };
  expect([...Object.keys(examples), ...elsewhere].sort()).toEqual(namesOf(createProgram(context)).sort());
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
  const run = ({ args, input = '' }: Pick<Example, 'args' | 'input'>) =>
    admin(
      args.map((arg) => (arg === 'CERTIFICATE' ? certificateFile() : arg)),
      input,
    );
  return { url, run };
}

const commands = Object.entries(examples);

test('commands that only read change nothing, and leave no entry', async () => {
  const { url, run } = await someCompany();
  for (const [command, { before = [], changes, ...example }] of commands) {
    if (changes !== undefined) continue;
    for (const args of before) expect(await run({ args })).toMatchObject({ code: 0 });

    const { result, changed, entries } = await audited(url, () => run(example));

    expect({ command, ...result }).toMatchObject({ command, code: 0, err: '' });
    expect({ command, changed, entries }).toEqual({ command, changed: [], entries: [] });
  }
});

test.each(commands.filter(([, { changes }]) => changes !== undefined))(
  '%s changes nothing without an entry in the audit log',
  async (_, { before = [], changes, ...example }) => {
    const { url, run } = await someCompany();
    for (const args of before) expect(await run({ args })).toMatchObject({ code: 0 });

    const { result, changed, entries } = await audited(url, () => run(example));

    expect(result).toMatchObject({ code: 0, err: '' });
    if (changes !== 'none') expect(changed).toContain(changes);
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
  await run({ args: ['device', 'revoke', 'CU-1'] });
  const { entries } = await audited(url, async () => {
    await run({ args: ['device', 'revoke', 'CU-1'] });
    await run({ args: ['device', 'set', 'CU-1', '--store', 'S-1'] });
    await run({ args: ['token', 'revoke', '--company', 'Acme', '--kind', 'staff', '--label', 'none'] });
    await run({
      args: ['apply', '-'],
      input: 'companies: [{ name: Acme, stores: [{ sid: S-1, timeZone: Mars }] }]',
    });
  });
  expect(entries).toEqual([]);
});
