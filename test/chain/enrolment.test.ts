import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer } from 'node:tls';
import { createAuthority, createCertificate } from '@visitor-counter/test/certificates';
import { startEnrolling, startEnrollingWith } from '@visitor-counter/test/enrolling-unit';
import { enrolmentServer } from '@visitor-counter/test/enrolment-server';
import { listening } from '@visitor-counter/test/listening';
import { startService } from '@visitor-counter/test/service-process';
import { type AtEnd, startedOnce } from '@visitor-counter/test/started-once';
import { expect, onTestFinished, test } from 'vitest';

const at = Date.UTC(2026, 0, 1);
const passage = `${at},a,1\n${at + 200},b,1\n${at + 400},a,0\n${at + 600},b,0\n`;
/** A server to enrol at, and a function that makes units whose configuration contains only their beams. */
async function serverWithTls(showsCa: boolean, atEnd: AtEnd) {
  const served = await enrolmentServer({ showsCa }, atEnd);
  const unit = async (name: string) => {
    const folder = join(served.folder, name);
    await mkdir(folder);
    await writeFile(join(folder, 'door.csv'), passage);
    await writeFile(join(folder, 'unit.yaml'), '# front door\nbeams: { source: replay, file: door.csv }\n');
    return join(folder, 'unit.yaml');
  };
  return { ...served, unit };
}

/* Each test enrols units of its own. */
const showing = startedOnce((atEnd) => serverWithTls(true, atEnd));
const hiding = startedOnce((atEnd) => serverWithTls(false, atEnd));

test('from a code to a counted crossing: a unit enrols, runs, and is replaced by another one that continues its history', async () => {
  const { rows, code, replacementCode, unit, server } = showing();
  const first = await unit('first');
  const incomplete = startService('agent', ['run', '--config', first], {});
  await expect(incomplete).rejects.toThrow(/server is not set: expected a value, which `agent enrol` writes/);

  const enrolled = startEnrolling(
    first,
    ...['--server', server, '--code', await code('--store', 'S-1'), '--serial', 'CU-1'],
  );
  expect(await enrolled.ended).toMatchObject({
    code: 0,
    printed: expect.stringContaining('CU-1 has enrolled'),
  });
  expect((await stat(first)).mode & 0o777).toBe(0o600);
  expect(await readFile(first, 'utf8')).toMatch(/^# front door\nbeams: /);
  const old = await startService('agent', ['run', '--config', first], {});
  onTestFinished(() => old.kill());
  const crossings = () => rows.query('select serial from crossing join device on device.id = device_id');
  await expect.poll(crossings).toEqual([{ serial: 'CU-1' }]);

  const second = await unit('second');
  const options = ['--server', server, '--code', await replacementCode('CU-1'), '--serial', 'CU-1'];
  expect(await startEnrolling(second, ...options).ended).toMatchObject({ code: 0 });
  await expect.poll(() => old.output()).toContain('does not accept serial CU-1');
  const next = await startService('agent', ['run', '--config', second], {});
  onTestFinished(() => next.kill());

  await expect.poll(crossings).toHaveLength(2);
  expect(await rows.query(`select serial from device where serial like 'CU-1%'`)).toEqual([
    { serial: 'CU-1' },
  ]);
});

test('a unit that is killed at any moment of its enrolment repeats it, and uses the code only once', async () => {
  const { rows, code, unit, server } = showing();
  const config = await unit('killed');
  const options = ['--server', server, '--code', await code('--store', 'S-1'), '--serial', 'CU-2'];

  for (let kill = 0; kill < 5; kill += 1) {
    const { child, ended } = startEnrolling(config, ...options);
    await Promise.race([delay(300 + Math.random() * 700), ended]);
    child.kill('SIGKILL');
    await ended;
  }
  expect(await startEnrolling(config, ...options).ended).toMatchObject({ code: 0 });

  const devices = await rows.query(`select secret_hash from device where serial = 'CU-2'`);
  expect(await rows.query('select used from enrolment_code order by id desc limit 1')).toEqual([{ used: 1 }]);
  const secret = /^secret: (.*)$/m.exec(await readFile(config, 'utf8'))?.[1] ?? '';
  expect(devices).toEqual([{ secret_hash: createHash('sha256').update(secret).digest() }]);
  expect((await readdir(join(config, '..'))).sort()).toEqual([
    'ca.pem',
    'door.csv',
    'unit.yaml',
    'unit.yaml.enrolment',
  ]);
});

test('a server with another CA is sent nothing', async () => {
  const { code, unit } = showing();
  const other = await createAuthority('company');
  const { cert, key } = await createCertificate(other, 'counter');
  let received = 0;
  const server = createServer({ cert: `${cert}\n${other.cert}`, key }, (socket) => {
    socket.on('error', () => {});
    socket.on('data', ({ length }) => {
      received += length;
    });
  });
  const port = await listening(server);
  const config = await unit('misled');
  const options = ['--server', `https://127.0.0.1:${port}`, '--code', await code('--store', 'S-1')];

  const { code: exit, printed } = await startEnrolling(config, ...options, '--serial', 'CU-3').ended;

  expect([exit, received]).toEqual([2, 0]);
  expect(printed).toMatch(/is not the server that this code is for, so nothing was sent/);
  expect(await readFile(config, 'utf8')).not.toContain('secret');
});

test('reports problems of the code, the serial and the address, and does not change the file', async () => {
  const { code, unit, server } = showing();
  const config = await unit('wrong');
  const [one, other] = [await code('--store', 'S-1'), await unit('other')];
  const enrol = async (file: string, ...options: string[]) => startEnrolling(file, ...options).ended;
  const good = ['--server', server, '--serial', 'CU-4', '--code', one];
  await enrol(other, ...good);
  const before = await readFile(config, 'utf8');

  const answers = await Promise.all([
    enrol(config, ...good, '--code', `${one.slice(0, -1)}${one.endsWith('7') ? '8' : '7'}`),
    enrol(config, ...good, '--server', 'http://127.0.0.1'),
    enrol(config, ...good, '--server', 'https://127.0.0.1:1'),
    enrol(config, ...good, '--serial', 'CU-5'),
    enrol(other, ...good, '--serial', 'CU-5'),
  ]);

  expect(answers).toEqual([
    { code: 2, printed: expect.stringMatching(/^--code is "…": expected six groups/) },
    { code: 2, printed: expect.stringMatching(/^--server is "http:/) },
    { code: 1, printed: expect.stringMatching(/^Not enrolled: no TLS connection.* Try again/) },
    { code: 2, printed: expect.stringMatching(/wrong, expired, revoked or used up/) },
    { code: 2, printed: expect.stringMatching(/^--serial is "CU-5": expected CU-4/) },
  ]);
  expect(await readFile(config, 'utf8')).toBe(before);
});

test('a CA that the system trusts need not be sent, and is not stored', async () => {
  const { code, unit, server, caFile } = hiding();
  const config = await unit('public');
  const one = await code('--store', 'S-1', '--certificate', caFile);
  const options = [config, '--server', server, '--code', one, '--serial', 'CU-1'] as const;

  const unknown = await startEnrolling(...options).ended;
  const enrolled = await startEnrollingWith({ SSL_CERT_FILE: caFile }, ...options).ended;

  expect([unknown.code, enrolled.code]).toEqual([2, 0]);
  expect(unknown.printed).toMatch(/its file of certificates lacks the CA/);
  expect(await readFile(config, 'utf8')).not.toContain('ca:');
});

test('a code for a server that does not send its CA is bound to the certificate of the server', async () => {
  const { rows, code, unit, server } = hiding();
  const config = await unit('bound');
  const options = ['--server', server, '--code', await code('--store', 'S-1'), '--serial', 'CU-2'];

  expect(await startEnrolling(config, ...options).ended).toMatchObject({ code: 0 });
  const agent = await startService('agent', ['run', '--config', config], {});
  onTestFinished(() => agent.kill());

  await expect.poll(() => rows.query('select from crossing')).toHaveLength(1);
});

test('reads the code from standard input or a file, so that no other user sees it in the list of processes', async () => {
  const { code, unit, server, folder } = showing();
  const one = await code('--store', 'S-1', '--uses', '2');
  const asked = startEnrolling(await unit('asked'), '--server', server, '--serial', 'CU-6');
  const commandLine = await readFile(`/proc/${asked.child.pid}/cmdline`, 'utf8');
  asked.child.stdin?.end(`${one}\n`);
  expect(await asked.ended).toMatchObject({ code: 0 });
  expect(commandLine).not.toContain(one);

  const file = join(folder, 'enrol.env');
  await writeFile(file, `SERVER=${server}\nCODE=${one}\n`);
  const options = ['--server', server, '--serial', 'CU-7', '--code-file', file];
  expect(await startEnrolling(await unit('file'), ...options).ended).toMatchObject({ code: 0 });
  const missing = startEnrolling(await unit('missing'), '--server', server, '--code-file', `${file}.none`);
  expect(await missing.ended).toMatchObject({ code: 2, printed: expect.stringMatching(/^--code-file is /) });
});
