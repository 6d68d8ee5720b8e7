import { createHash } from 'node:crypto';
import { hashSecret } from '@visitor-counter/database/credentials/credentials';
import {
  fingerprintText,
  makeEnrolmentCode,
  parseEnrolmentCode,
} from '@visitor-counter/domain/enrolment-code';
import { expect, test } from 'vitest';
import { type ApiUnderTest, answerTo, apiUnderTest, type TestOptions } from '../../test/api-under-test.ts';

const codeOf = (name: string) =>
  makeEnrolmentCode(createHash('sha256').update(name).digest(), fingerprintText(Buffer.alloc(32, 7)));

interface SeededCode {
  readonly uses?: number;
  /** The id of a device. */
  readonly replaces?: number;
  readonly expires?: string;
  readonly revoked?: true;
}

/** A company with a store and a device CU-1, and what enrols there. */
async function enrolling(options: TestOptions = {}) {
  const api = await apiUnderTest(options);
  const { seed } = api;
  const companyId = await seed.company('Acme');
  const storeId = await seed.store({ companyId, sid: 'S-1' });
  const deviceId = await seed.device({ companyId, storeId, serial: 'CU-1' });
  const addCode = (name: string, { uses = 1, replaces, expires = 'infinity', revoked }: SeededCode = {}) =>
    seed.query(
      `insert into enrolment_code (company_id, store_id, replaces_device_id, hash, uses, expires_at, revoked_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        companyId,
        replaces === undefined ? storeId : null,
        replaces ?? null,
        hashSecret(parseEnrolmentCode(codeOf(name))?.text ?? ''),
        uses,
        expires === 'infinity' ? '2100-01-01' : expires,
        revoked ? new Date() : null,
      ],
    );
  const secretOf = async (serial: string) =>
    (await seed.query('select id, secret_hash from device where serial = $1', [serial]))[0];
  return { api, deviceId, addCode, secretOf, seed };
}

async function enrol(
  { port }: ApiUnderTest,
  code: string,
  serial: string,
  secret = `made by ${serial}`,
  headers: Record<string, string> = {},
) {
  const body = JSON.stringify({
    code: codeOf(code),
    serial,
    secretHash: createHash('sha256').update(secret).digest('hex'),
  });
  const answer = await answerTo(`http://127.0.0.1:${port}/v1/enrolment`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { status: answer.status, body: answer.body };
}

test('a unit enrols with its own serial and receives its server; the database stores only hashes', async () => {
  const { api, addCode, secretOf } = await enrolling();
  await addCode('one');

  const answer = await enrol(api, 'one', 'CU-2');

  expect(answer).toEqual({
    status: 200,
    body: { serial: 'CU-2', server: 'mqtts://127.0.0.1:8883', ca: null },
  });
  expect(await secretOf('CU-2')).toMatchObject({ secret_hash: hashSecret('made by CU-2') });
  expect(api.logged()).not.toContain(codeOf('one'));
});

test('a repeated request is the same use, also when the code has ended meanwhile', async () => {
  const { api, addCode } = await enrolling();
  await addCode('one');
  const first = await enrol(api, 'one', 'CU-2');

  expect(await enrol(api, 'one', 'CU-2')).toEqual(first);
  await api.seed.query('update enrolment_code set revoked_at = now()');
  expect(await enrol(api, 'one', 'CU-2')).toEqual(first);
  expect(await enrol(api, 'one', 'CU-2', 'another secret')).toMatchObject({ status: 403 });

  expect(await api.seed.query('select used from enrolment_code')).toEqual([{ used: 1 }]);
});

test('wrong, expired, revoked and used-up codes get the same answer', async () => {
  const { api, addCode } = await enrolling();
  await addCode('expired', { expires: '2020-01-01' });
  await addCode('revoked', { revoked: true });
  await addCode('used');
  await enrol(api, 'used', 'CU-2');

  const ask = (code: string) => enrol(api, code, 'CU-3');
  const answers = [await ask('wrong'), await ask('expired'), await ask('revoked'), await ask('used')];

  expect(answers).toEqual(answers.map(() => answers[0]));
  expect(answers[0]).toMatchObject({ status: 403, body: { code: 'invalid_code' } });
});

test('exactly one of many concurrent requests gets the last use of a code', async () => {
  const { api, addCode } = await enrolling();
  await addCode('few', { uses: 3 });

  const serials = Array.from({ length: 12 }, (_, index) => `P-${index}`);
  const answers = await Promise.all(serials.map((serial) => enrol(api, 'few', serial)));

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(9);
  expect(await api.seed.query(`select from device where serial like 'P-%'`)).toHaveLength(3);
  expect(await api.seed.query('select used from enrolment_code')).toEqual([{ used: 3 }]);
});

test('answers the serial of a device of another company like a wrong code', async () => {
  const { api, addCode, seed } = await enrolling();
  const other = await seed.company('Other');
  const storeId = await seed.store({ companyId: other, sid: 'S-2' });
  await seed.device({ companyId: other, storeId, serial: 'CU-OTHER' });
  await addCode('new', { uses: 9 });

  const refused = await enrol(api, 'new', 'CU-OTHER');
  expect(refused).toEqual(await enrol(api, 'of nobody', 'CU-8'));
  expect(refused).toMatchObject({ status: 403, body: { code: 'invalid_code' } });
});

test('an existing serial is replaced only with a code made for it, stays the same device, and is in use again', async () => {
  const { api, deviceId, addCode, secretOf, seed } = await enrolling();
  await seed.query('update device set retired_at = now()');
  await addCode('new', { uses: 9 });
  await addCode('replace', { replaces: deviceId });

  expect(await enrol(api, 'new', 'CU-1')).toMatchObject({ status: 409, body: { code: 'serial_taken' } });
  expect(await enrol(api, 'new', 'cu-1')).toMatchObject({ status: 409 });
  expect(await enrol(api, 'replace', 'CU-9')).toMatchObject({ status: 409, body: { code: 'other_serial' } });
  expect(await secretOf('CU-1')).toEqual({ id: deviceId, secret_hash: hashSecret('secret of CU-1') });
  expect(await enrol(api, 'replace', 'cu-1')).toMatchObject({ status: 200, body: { serial: 'CU-1' } });

  expect(await secretOf('CU-1')).toEqual({ id: deviceId, secret_hash: hashSecret('made by cu-1') });
  expect(await seed.query('select retired_at from device')).toEqual([{ retired_at: null }]);
  expect(await enrol(api, 'replace', 'CU-1', 'a third one')).toMatchObject({ status: 403 });
});

test('refuses codes from an address that failed too often, for a while', async () => {
  let now = Date.parse('2026-11-21T12:00:00Z');
  const { api, addCode } = await enrolling({ limits: { failuresPerMinute: 3 }, now: () => now });
  await addCode('one');
  for (let n = 0; n < 3; n += 1) expect(await enrol(api, 'wrong', 'CU-2')).toMatchObject({ status: 403 });

  expect(await enrol(api, 'wrong', 'CU-2')).toMatchObject({
    status: 429,
    body: { code: 'too_many_failures' },
  });
  expect(await enrol(api, 'one', 'CU-2')).toMatchObject({ status: 429 });
  now += 20_000;
  /* Right ones do not count. */
  expect(await enrol(api, 'one', 'CU-2')).toMatchObject({ status: 200 });
  expect(await enrol(api, 'one', 'CU-2')).toMatchObject({ status: 200 });
});

test('without TLS rejects forwarded requests, unless a trusted proxy reports https', async () => {
  const { api, addCode } = await enrolling();
  const trusting = await enrolling({ trustedProxies: ['loopback'] });
  const [caller, https] = [{ 'x-forwarded-for': '192.0.2.1' }, { 'x-forwarded-proto': 'https' }];
  await addCode('one');
  await trusting.addCode('one');
  const secret = 's';

  for (const headers of [caller, { ...caller, ...https }, { forwarded: 'proto=https' }]) {
    const answer = await enrol(api, 'one', 'CU-2', secret, headers);
    expect(answer).toMatchObject({ status: 403, body: { code: 'insecure_request' } });
  }
  expect(await enrol(trusting.api, 'one', 'CU-2', secret, caller)).toMatchObject({ status: 403 });
  const host = { 'x-forwarded-host': 'counter.example' };
  const answer = await enrol(trusting.api, 'one', 'CU-2', secret, { ...caller, ...https, ...host });
  expect(answer).toMatchObject({ status: 200, body: { server: 'mqtts://counter.example:8883' } });
});
