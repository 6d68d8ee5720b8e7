import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fingerprintText, parseEnrolmentCode } from '@visitor-counter/domain/enrolment-code';
import { keyHash } from '@visitor-counter/service/certificates';
import { createAuthority, createCertificate } from '@visitor-counter/test/certificates';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { acmeTopology, databaseWith } from '../../test/run-admin.ts';

const topology = `${acmeTopology}  - name: Bell
    stores: [{ sid: S-1, name: One, timeZone: UTC }]
`;

async function adminOfStores() {
  const folder = await temporaryFolder();
  const ca = await createAuthority('company');
  const shown = await createCertificate(ca, 'counter');
  const file = join(folder, 'fullchain.pem');
  await writeFile(file, shown.cert + ca.cert);
  const { run } = await databaseWith(topology);
  const create = (...args: string[]) => run(['enrolment', 'create', '--certificate', file, ...args]);
  return { run, create, ca, shown, file };
}

const fingerprintOf = (pem: string) => fingerprintText(keyHash(new X509Certificate(pem)));

test('creates a code with the fingerprint of the CA, shows it once, and lists it without its text', async () => {
  const { run, create, ca } = await adminOfStores();

  const { out } = await create('--store', 'S-2', '--uses', '10', '--expires', '7d', '--json');

  const { code, expires, ...rest } = JSON.parse(out);
  expect(rest).toEqual({
    id: 1,
    company: 'Acme',
    store: 'S-2',
    replaces: null,
    uses: 10,
    server: 'CN=company',
  });
  expect(parseEnrolmentCode(code)?.fingerprint).toBe(fingerprintOf(ca.cert));
  expect(Date.parse(expires) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
  const list = (await run(['enrolment', 'list'])).out;
  expect(list).toMatch(/1 +Acme +S-2 +- +10 +0 .* active$/);
  expect(list).not.toContain(code.slice(0, 5));
});

test('revokes a code, and does nothing the second time', async () => {
  const { run, create } = await adminOfStores();
  await create('--store', 'S-2');

  expect((await run(['enrolment', 'revoke', '1'])).out).toBe('revoked code 1');
  expect((await run(['enrolment', 'revoke', '1'])).out).toBe('was revoked before: code 1');
  expect(await run(['enrolment', 'revoke', '2'])).toMatchObject({ code: 1 });
  expect((await run(['enrolment', 'list'])).out).toContain('revoked');
});

test('creates a code with which another unit replaces the unit of a device', async () => {
  const { run, file } = await adminOfStores();

  const { code, out } = await run(['device', 'replace', 'cu-1', '--certificate', file]);

  expect(code).toBe(0);
  expect(out).toContain('sudo counter-agent enrol --server https://ADDRESS --serial CU-1\n');
  expect(parseEnrolmentCode(out.split('\n').at(-1)?.trim() ?? '')).toBeDefined();
  expect((await run(['enrolment', 'list'])).out).toMatch(/1 +Acme +- +CU-1 +1 +0 .* active$/);
  expect(await run(['device', 'replace', 'CU-9', '--certificate', file])).toMatchObject({
    code: 1,
    err: 'there is no device "CU-9"',
  });
});
