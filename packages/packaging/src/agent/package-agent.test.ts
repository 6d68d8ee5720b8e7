import { expect, test } from 'vitest';
import { agentTree } from './package-agent.ts';

const node = (text: string) => ({ program: Buffer.from(text), licence: '' });

test('puts the launcher last, which starts files that no other build replaces', async () => {
  const one = await agentTree(node('one'), 'changes');
  const other = await agentTree(node('one'), 'other changes');
  const folders = [one, other].map((files) => {
    const launcher = files.find(({ path }) => path === '/usr/bin/counter-agent');
    expect(launcher?.isLast).toBe(true);
    const text = String(launcher?.content);
    const [, folder] = /^exec (\S+)\/node .* \1\/agent\.mjs "\$@"$/m.exec(text) ?? [];
    const paths = files.map(({ path }) => path);
    expect(paths).toContain(`${folder}/node`);
    expect(paths).toContain(`${folder}/agent.mjs`);
    expect(paths.filter((path) => path.startsWith('/usr/lib/counter-agent/'))).toSatisfy(
      (program: string[]) => program.every((path) => path.startsWith(`${folder}/`)),
    );
    return folder;
  });
  expect(folders[0]).not.toBe(folders[1]);
});

test('makes only the log of the agent volatile', async () => {
  const paths = (await agentTree(node(''), '')).map(({ path }) => path);
  expect(paths.filter((path) => path.includes('journald'))).toEqual([
    '/usr/lib/systemd/journald@counter-agent.conf.d/60-counter-agent.conf',
  ]);
});
