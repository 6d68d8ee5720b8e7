import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@visitor-counter/service/logger';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fakeGpiod } from '../../test/fake-gpiod.ts';
import { monotonicNow } from '../clock/time.ts';
import { nodeFileSystem } from '../journal/file-system.ts';
import { askOnce } from '../local/ask-agent.ts';
import { startAgent } from './start-agent.ts';

const silent = createLogger('agent', { LOG_LEVEL: 'silent' });

async function folderWithLines() {
  const folder = await mkdtemp(join(tmpdir(), 'counter-door-'));
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
    await rm(folder, { recursive: true });
  });
  const edge = (line: string, kind: 1 | 2, at: number) =>
    `${line} ${kind} ${Math.floor(at / 1_000)}.${String(at % 1_000).padStart(3, '0')}000000\n`;
  /** Somebody walks in, after as many others as `before`. */
  const walk = async (before = 0) => {
    const at = Math.ceil(monotonicNow()) + 400 * before;
    const [first, second] = [edge('GPIO17', 1, at), edge('GPIO27', 1, at + 100)];
    await tools.print(`${first}${second}${edge('GPIO17', 2, at + 200)}${edge('GPIO27', 2, at + 300)}`);
  };
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
