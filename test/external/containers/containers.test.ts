import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { startEnrolling } from '@visitor-counter/test/enrolling-unit';
import { startService } from '@visitor-counter/test/service-process';
import { expect, onTestFinished, test } from 'vitest';
import { type Stack, startStack } from './stack.ts';

const at = Date.UTC(2026, 0, 1, 12);
const passage = `${at},a,1\n${at + 200},b,1\n${at + 400},a,0\n${at + 600},b,0\n`;

const company = `companies:
  - name: Acme
    retentionMonths: 1200
    stores: [{ sid: S-1, name: Main Door, timeZone: UTC }]
    credentials: [{ kind: counts, label: till, value: a-token-of-this-test-only-4711 }]
`;

const run = promisify(execFile);

/** Runs curl, which trusts only the CA of Caddy. */
async function curl({ caFile }: Stack, ...args: string[]): Promise<string> {
  const { stdout } = await run('curl', ['--silent', '--show-error', '--cacert', caFile, ...args]);
  return stdout;
}

async function codeFor(stack: Stack, uses: number): Promise<string> {
  await stack.admin(['apply', '-'], company);
  const created = await stack.admin(['enrolment', 'create', '--store', 'S-1', '--uses', `${uses}`, '--json']);
  return JSON.parse(created).code;
}

/** A unit that enrols, and counts one crossing. */
async function startUnit(stack: Stack, code: string) {
  const folder = join(stack.folder, 'unit');
  const config = join(folder, 'unit.yaml');
  await mkdir(folder);
  await writeFile(join(folder, 'door.csv'), passage);
  await writeFile(config, 'beams: { source: replay, file: door.csv }\n');
  const options = ['--server', stack.server, '--code', code, '--serial', 'CU-1'];
  expect(await startEnrolling(config, ...options).ended).toMatchObject({ code: 0 });
  expect(await readFile(config, 'utf8')).toContain(`server: mqtts://localhost:${stack.mqttsPort}`);
  const unit = await startService('agent', ['run', '--config', config], {});
  onTestFinished(() => unit.kill());
}

const counted = {
  CompanyName: 'Acme',
  Token: 'a-token-of-this-test-only-4711',
  DateFrom: '2026-01-01',
  DateTo: '2026-01-01',
};

test('a unit enrols through Caddy, delivers over TLS with the certificate of Caddy, and its crossing is in the answer', async () => {
  const stack = await startStack();

  await startUnit(stack, await codeFor(stack, 1));

  const form = new URLSearchParams(counted).toString();
  const operation = `${stack.server}/public/Service.asmx/GetCountsByCompanyAndDatePublic`;
  const events = async () => JSON.parse(await curl(stack, '--data', form, operation));
  await expect
    .poll(events)
    .toEqual([expect.objectContaining({ DateTime: '2026-01-01T12:00:00.600+00:00', Amount: 1 })]);
});

test('the api sees the scheme of the caller and its address, and believes no address that the caller claims', async () => {
  const stack = await startStack();
  const code = await codeFor(stack, 1);
  const claims = ['--header', 'X-Forwarded-For: 203.0.113.9', '--header', 'X-Forwarded-Proto: http'];
  const body = JSON.stringify({ code, serial: 'CU-1', secretHash: 'ab'.repeat(32) });

  const redirect = await curl(stack, '--head', stack.plain);
  const page = await curl(stack, '--head', stack.server);
  const enrolled = await curl(stack, ...claims, ...['--json', body, `${stack.server}/v1/enrolment`]);

  expect(redirect).toMatch(/^HTTP\/1.1 308 .*^location: https:\/\/localhost\//ims);
  expect(page).toMatch(/^strict-transport-security: /im);
  expect(JSON.parse(enrolled)).toMatchObject({ serial: 'CU-1' });
  const [enrolment] = JSON.parse(await stack.admin(['audit', '--who', 'CU-1', '--json'])).entries;
  expect(enrolment.author.origin).toMatch(/^(127\.0\.0\.1|::1)$/);
});

test('uses a renewed certificate for MQTT without a restart', async () => {
  const stack = await startStack();
  const before = await shownCertificate(stack);

  await stack.restartCaddy(() => rm(dirname(stack.certFile), { recursive: true }));

  const renewed = new X509Certificate(await readFile(stack.certFile));
  expect(renewed.fingerprint256).not.toBe(before);
  await expect.poll(() => shownCertificate(stack)).toBe(renewed.fingerprint256);
  expect(stack.process.output()).toContain('certificates reloaded');
});

/** The fingerprint of the certificate that units see, after a complete verification. */
async function shownCertificate({ mqttsPort, caFile }: Stack): Promise<string> {
  const ca = await readFile(caFile);
  const socket = connect({ host: 'localhost', servername: 'localhost', port: mqttsPort, ca });
  try {
    await once(socket, 'secureConnect');
    return socket.getPeerCertificate().fingerprint256;
  } finally {
    socket.destroy();
  }
}
