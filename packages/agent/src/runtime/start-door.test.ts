import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger } from '@visitor-counter/service/logger';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fakeGpiod, passage } from '../../test/fake-gpiod.ts';
import { monotonicNow } from '../clock/time.ts';
import { nodeFileSystem } from '../journal/file-system.ts';
import { askOnce } from '../local/ask-agent.ts';
import { startAgent } from './start-agent.ts';

const silent = createLogger('agent', { LOG_LEVEL: 'silent' });

async function folderWithLines() {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'gpiod'));
  const tools = await fakeGpiod(join(folder, 'gpiod'));
  await tools.levels('0 0\n');
  vi.stubEnv('PATH', tools.env['PATH']);
  const lines = 'beams: { source: gpio, a: { line: GPIO17 }, b: { line: GPIO27 } }\n';
  const config = join(folder, 'unit.yaml');
  await writeFile(config, `server: mqtt://127.0.0.1:1\nserial: CU-1\nsecret: s\njournal: journal\n${lines}`);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await tools.close();
  });
  /** Somebody walks in, after as many others as `before`. */
  const walk = (before: number) =>
    tools.print(passage('GPIO17', 'GPIO27', Math.ceil(monotonicNow()) + 400 * before, 1));
  return { folder, config, tools, walk };
}

test('counts people who walk while the journal is being opened', async () => {
  const { folder, config, tools, walk } = await folderWithLines();
  const opened = Promise.withResolvers<void>();
  const list = async (directory: string) => {
    await opened.promise;
    return nodeFileSystem.list(directory);
  };
  const starting = startAgent(config, {}, silent, { files: { ...nodeFileSystem, list } });
  onTestFinished(async () => (await starting).close());
  await tools.pid();
  for (const before of [0, 1, 2]) await walk(before);
  opened.resolve();
  await starting;
  const view = () => askOnce(join(folder, 'journal'));
  await expect.poll(view).toMatchObject({ in: 3, delivery: { recorded: 3 } });
});

test('releases the lines when the journal cannot be opened', async () => {
  const { config, tools } = await folderWithLines();
  const files = {
    ...nodeFileSystem,
    list: async () => {
      await tools.pid();
      throw new Error('no journal');
    },
  };
  await expect(startAgent(config, {}, silent, { files })).rejects.toThrow('no journal');
  const gpiomon = await tools.pid();
  expect(() => process.kill(gpiomon, 0)).toThrow('ESRCH');
});
