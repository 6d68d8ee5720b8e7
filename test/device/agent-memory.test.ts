import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { fakeGpiod } from '@visitor-counter/agent/test/fake-gpiod';
import { leanNode, packageAgent } from '@visitor-counter/packaging/agent/package-agent';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type MeasuredAgent, type Sink, startMeasured, startSink } from './measured-agent.ts';
import { writeChatter, writeWalks } from './traces.ts';

const run = promisify(execFile);

/** The most memory that a counting unit may use at any moment (MB). */
const mostMemory = 80;
const million = 1_000_000;

let folder: string;
let packaged: readonly [string, ...string[]];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counter-memory-'));
  const { path } = await packageAgent({ architecture: 'amd64', out: folder });
  await run('dpkg-deb', ['--extract', path, folder]);
  const builds = join(folder, 'usr/lib/counter-agent');
  const program = join(builds, ...(await readdir(builds)));
  packaged = [join(program, 'node'), ...leanNode, join(program, 'agent.mjs')];
  await writeWalks(join(folder, 'million.csv'), million);
  await writeChatter(join(folder, 'chatter.csv'), 60);
});
afterAll(() => rm(folder, { recursive: true }));

/** An agent that plays a trace; ends with the test. */
async function started(
  command: readonly [string, ...string[]],
  beams: string,
  { home, env }: { readonly home?: string; readonly env?: NodeJS.ProcessEnv } = {},
) {
  const sink = await startSink();
  const unit = home ?? (await mkdtemp(join(folder, 'unit-')));
  const agent = await startMeasured(command, { folder: unit, beams, sink, ...(env && { env }) });
  onTestFinished(async () => {
    await agent.stop();
    await sink.close();
  });
  return { sink, agent, unit };
}

async function delivered(sink: Sink, crossings: number): Promise<void> {
  await expect
    .poll(() => sink.crossings, {
      timeout: 170_000,
      interval: 200,
    })
    .toBeGreaterThanOrEqual(crossings);
}

async function expectLean(agent: MeasuredAgent, what: string): Promise<void> {
  const { peak, resident, processor } = await agent.taken();
  console.log(`${what}: at most ${peak.toFixed(1)} MB, then ${resident.toFixed(1)} MB; ${processor} s`);
  expect(peak).toBeLessThan(mostMemory);
}

const asFast = () => `{ source: replay, file: ${join(folder, 'million.csv')} }`;
const chatter = () => `{ source: replay, realTime: true, file: ${join(folder, 'chatter.csv')} }`;

test('uses less than 80 MB at any moment for a million crossings at full speed', async () => {
  const { sink, agent } = await started(packaged, asFast());
  await delivered(sink, million);
  await expectLean(agent, 'package, a million crossings');
  expect(sink.crossings).toBe(million);
});

test('loses nothing of 3,000 edges a second for a minute, in less than 80 MB', async () => {
  const { sink, agent } = await started(packaged, chatter());
  await delivered(sink, 60);
  await expectLean(agent, 'package, 3,000 edges/s');
  expect(sink.crossings).toBe(60);
});

test('uses less than 1 % of a processor without crossings', async () => {
  const tools = await fakeGpiod(await mkdtemp(join(folder, 'gpiod-')));
  onTestFinished(() => tools.close());
  const lines =
    '{ source: gpio, a: { line: GPIO17, activeLow: true }, b: { line: GPIO27, activeLow: true } }';
  const { agent } = await started(packaged, lines, { env: tools.env });
  await tools.pid();
  await setTimeout(10_000);
  const before = await agent.taken();
  const seconds = 60;
  await setTimeout(seconds * 1_000);
  await expectLean(agent, 'package, nobody walks');
  const share = ((await agent.taken()).processor - before.processor) / seconds;
  console.log(`of a processor: ${(share * 100).toFixed(2)} %`);
  expect(share).toBeLessThan(0.01);
});
