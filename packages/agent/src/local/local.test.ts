import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { doorView as first } from '../../test/door-view.ts';
import { askAgent, askOnce } from './ask-agent.ts';
import { serveLocal } from './serve-local.ts';
import { makeSocketPath } from './socket-of.ts';

const nothing = {
  identify: () => {},
  edges: () => () => {},
  journal: { adoptOlder: () => [] },
};

test('returns the state of the door, then each change, and blinks on request', async () => {
  const journal = await temporaryFolder();
  let view = first;
  let identified = 0;
  const identify = () => {
    identified += 1;
  };
  const stop = await serveLocal(journal, { ...nothing, view: () => view, identify });
  onTestFinished(stop);

  expect(await askOnce(journal)).toEqual(first);
  expect(await askOnce(journal, 'identify')).toEqual(first);
  expect(identified).toBe(1);

  const enough = new AbortController();
  const seen: number[] = [];
  for await (const line of askAgent(journal, 'watch', enough.signal)) {
    const { in: count } = JSON.parse(line);
    seen.push(count);
    view = { ...view, in: count + 1 };
    if (count === 3) enough.abort();
  }
  expect(seen).toEqual([0, 1, 2, 3]);
});

test('answers over a socket in a folder that only its user and group can enter', async () => {
  const journal = await temporaryFolder();
  const runtime = await temporaryFolder();
  await chmod(runtime, 0o750);
  for (const env of [{}, { RUNTIME_DIRECTORY: runtime }]) {
    const path = await makeSocketPath(journal, env);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o750);
    const stop = await serveLocal(journal, { ...nothing, view: () => first }, env);
    expect((await stat(path)).mode & 0o777).toBe(0o660);
    const { ino } = await stat(journal);
    const abstract = new RegExp(`@.*-${ino}`);
    expect(await readFile('/proc/net/unix', 'utf8')).not.toMatch(abstract);
    await stop();
    /* The socket file of a killed agent does not prevent the next start. */
    await writeFile(path, '');
    await (await serveLocal(journal, { ...nothing, view: () => first }, env))();
  }
});
