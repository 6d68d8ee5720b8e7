import { X509Certificate } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fingerprintText, makeEnrolmentCode } from '@visitor-counter/domain/enrolment-code';
import { keyHash } from '@visitor-counter/service/certificates';
import { startEnrollingWith } from '@visitor-counter/test/enrolling-unit';
import { listening } from '@visitor-counter/test/listening';
import { day, now, type Shown, shownCertificate } from '@visitor-counter/test/shown-certificate';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';

interface World extends Shown {
  /** The time that the server reports, in the same days; undefined if it reports none. */
  readonly serverTime?: number;
  readonly isClockSet?: boolean;
}

/** Enrols a unit whose clock may be wrong at a server with TLS that records the requests that it receives. */
async function enrolIn({ serverTime, isClockSet = false, ...shown }: World) {
  const folder = await temporaryFolder();
  const { ca, certificate, host } = await shownCertificate(shown);
  const posts: string[] = [];
  const server = createServer(
    { cert: `${certificate.cert}\n${ca.cert}`, key: certificate.key },
    async (incoming, answer) => {
      answer.sendDate = false;
      if (serverTime !== undefined) answer.setHeader('date', new Date(now + serverTime * day).toUTCString());
      if (incoming.method === 'POST') posts.push(await text(incoming));
      answer.end(JSON.stringify({ serial: 'CU-1', server: 'mqtts://127.0.0.1:8883', ca: null }));
    },
  );
  const port = await listening(server, host);
  await writeFile(join(folder, 'timedatectl'), `#!/bin/sh\necho ${isClockSet ? 'yes' : 'no'}\n`);
  await chmod(join(folder, 'timedatectl'), 0o755);
  const config = join(folder, 'unit.yaml');
  await writeFile(config, 'beams: { source: replay, file: door.csv }\n');
  const code = makeEnrolmentCode(new Uint8Array(13), fingerprintText(keyHash(new X509Certificate(ca.cert))));
  const options = ['--server', `https://${host}:${port}`, '--code', code, '--serial', 'CU-1'];
  const env = { PATH: `${folder}:${process.env['PATH']}` };
  const { code: exit, printed } = await startEnrollingWith(env, config, ...options).ended;
  return { exit, printed, posts, unit: await readFile(config, 'utf8') };
}

test.each([
  ['in 2036', { valid: [-3_700, -3_600], serverTime: -3_650 }],
  ['before the certificate', { valid: [3_600, 3_700], serverTime: 3_650 }],
] as const)('a unit whose clock is %s, and not set, enrols at the right server', async (_, times) => {
  const { exit, printed, posts, unit } = await enrolIn(times);
  expect([exit, printed]).toEqual([0, expect.stringContaining('CU-1 has enrolled')]);
  expect(posts).toHaveLength(1);
  expect(unit).toContain('secret: ');
});

test.each([
  ['has expired by the time of its server', { serverTime: 0 }, /not valid by its own time: it reports 20/],
  ['has a server that reports no time', {}, /not valid by its own time: it reports no time/],
  ['has expired by a clock that is set', { serverTime: -100, isClockSet: true }, /certificate has expired/],
  ['has another signer', { serverTime: -100, hasOtherSigner: true }, /Not enrolled: /],
  ['is for another name', { serverTime: -100, isForAnotherName: true }, /does not match|altnames/],
])('sends nothing where the certificate %s', async (_, wrong, why) => {
  const { exit, printed, posts, unit } = await enrolIn({ valid: [-400, -30], ...wrong });
  expect([exit, printed]).toEqual([1, expect.stringMatching(why)]);
  expect(posts).toEqual([]);
  expect(unit).not.toContain('secret');
});
