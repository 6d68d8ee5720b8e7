import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { databaseWith } from '../../test/run-admin.ts';

const companies =
  'companies: [{ name: Acme, stores: [{ sid: S-1, name: One, timeZone: UTC }], devices: [{ serial: CU-1, store: S-1 }], alertTargets: [{ label: ops, url: "https://hooks.example/x" }] }]';
const secret = 'a secret of the operator';

test.each([
  ['token issue', '--value', ['--company', 'Acme', '--kind', 'counts', '--label', 'new']],
  ['device set', '--secret', ['CU-9', '--store', 'S-1']],
  ['alert target set', '--secret', ['ops', '--company', 'Acme']],
])('%s reads %s from a file or from standard input', async (command, option, others) => {
  const { run } = await databaseWith(companies);
  const value = command === 'alert target set' ? `whsec_${Buffer.from(secret).toString('base64')}` : secret;
  const file = join(await temporaryFolder(), 'secret');
  await writeFile(file, `${value}\nmore\n`);
  const words = [...command.split(' '), ...others];

  expect(await run([...words, `${option}-file`, '-'], value)).toMatchObject({ code: 0, err: '' });
  const repeated = command === 'token issue' ? ['--rotate'] : [];
  const again = await run([...words, ...repeated, `${option}-file`, file]);
  /* Nothing has changed, so the same value was read. */
  expect({ command, out: again.out }).toMatchObject({
    out: expect.stringMatching(command === 'token issue' ? value : /0 changed/),
  });
  expect(await run([...words, `${option}-file`, '/missing'])).toMatchObject({
    code: 2,
    err: expect.stringContaining(`${option}-file is "/missing"`),
  });
});
