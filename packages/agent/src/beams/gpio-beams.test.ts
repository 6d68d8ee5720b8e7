import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test, vi } from 'vitest';
import { edgeLine } from '../../test/edge-line.ts';
import { fakeGpiod } from '../../test/fake-gpiod.ts';
import { monotonicNow } from '../clock/time.ts';
import type { Edge, Restart } from './beams.ts';
import { GpioBeams } from './gpio-beams.ts';

const door = {
  a: { line: 'GPIO17', activeLow: true },
  b: { line: 'GPIO27', activeLow: false },
  bias: 'pull-up',
} as const;

/** Where the tools are found until the test has finished. */
function useTools(path = ''): void {
  vi.stubEnv('PATH', path);
  onTestFinished(() => void vi.unstubAllEnvs());
}

async function start({ levels = '1 0\n', healthyAfter = 1, quietFor = 600_000 } = {}) {
  const folder = await temporaryFolder();
  const tools = await fakeGpiod(folder);
  await tools.levels(levels);
  useTools(tools.env['PATH']);
  const problems: string[] = [];
  const onProblem = (problem: Error) => problems.push(problem.message);
  const backOff = { first: 5, longest: 300 };
  const beams = new GpioBeams(door, { onProblem }, { backOff, healthyAfter, quietFor });
  const stopping = new AbortController();
  const seen: (Edge | Restart)[] = [];
  const ended = (async () => {
    for await (const batch of beams.edges(stopping.signal)) seen.push(...batch);
  })();
  onTestFinished(async () => {
    stopping.abort();
    await ended;
    await tools.close();
  });
  return { tools, beams, seen, problems, stopping, ended };
}

test('returns the levels at the start, then edges with the kernel’s stamps, each line with its own polarity', async () => {
  const { tools, beams, seen } = await start();
  await expect.poll(() => beams.health.problem).toBeUndefined();
  expect(seen).toEqual([{ at: expect.any(Number), levels: { a: false, b: false } }]);
  const at = Math.ceil(monotonicNow()) + 1;
  const last = edgeLine('GPIO17', 1, at + 60);
  await tools.print(edgeLine('GPIO27', 1, at + 40) + edgeLine('GPIO17', 2, at) + last.slice(0, 5));
  await tools.print(last.slice(5));
  await expect.poll(() => seen).toHaveLength(4);
  expect(seen.slice(1)).toEqual([
    { at, beam: 'a', broken: true },
    { at: at + 40, beam: 'b', broken: true },
    { at: at + 60, beam: 'a', broken: false },
  ]);
  expect(beams.health).toMatchObject({ lostEdges: 0, lateEdges: 0, restarts: 0 });
});

test('counts a lost edge when a line reports the same level twice', async () => {
  const { tools, beams, seen } = await start();
  await tools.print('GPIO17 2 5.000000000\nGPIO17 2 5.100000000\nGPIO17 1 5.200000000\n');
  await expect.poll(() => seen).toHaveLength(4);
  expect(beams.health.lostEdges).toBe(1);
});

test('restarts gpiomon after it was killed, with the present levels', async () => {
  const { tools, beams, seen, problems } = await start();
  await expect.poll(() => beams.health.problem).toBeUndefined();
  await tools.levels('0 0\n');
  await tools.kill();
  await expect.poll(() => seen.at(-1)).toMatchObject({ levels: { a: true, b: false } });
  expect(seen.map((event) => 'levels' in event && event.levels)).toEqual([
    { a: false, b: false },
    { a: undefined, b: undefined },
    { a: true, b: false },
  ]);
  expect(problems).toEqual([expect.stringMatching(/^gpiomon ended with SIGKILL/)]);
  expect(beams.health.restarts).toBe(1);
});

test('reports the fault and retries until the lines can be read', async () => {
  const { tools, beams, problems } = await start();
  await expect.poll(() => beams.health.problem).toBeUndefined();
  await tools.pid();
  await tools.failWith('gpiomon: unable to request lines on chip /dev/gpiochip0: Device or resource busy');
  await tools.kill();
  await expect.poll(() => problems.length).toBeGreaterThan(2);
  expect(beams.health.problem).toMatch(/resource busy \(another program uses this line/);
  await tools.failWith(undefined);
  await expect.poll(() => beams.health.problem).toBeUndefined();
});

test('reports a reader that ends every 20 s until one has read for a minute', async () => {
  const clock = vi.spyOn(process.hrtime, 'bigint');
  onTestFinished(() => clock.mockRestore());
  let now = 1_000_000;
  clock.mockImplementation(() => BigInt(now) * 1_000_000n);
  const { tools, beams, seen } = await start({ healthyAfter: 60_000 });
  const starts = () => seen.filter((event) => 'levels' in event && event.levels.a !== undefined).length;
  await expect.poll(starts).toBe(1);
  const problem = expect.stringMatching(/^gpiomon ended with SIGKILL/);
  for (let restarts = 1; restarts <= 5; restarts += 1) {
    await tools.kill();
    await expect.poll(starts).toBe(restarts + 1);
    now += 20_000;
    expect(beams.health).toMatchObject({ restarts, problem });
  }
  now += 39_999;
  expect(beams.health).toMatchObject({ problem });
  now += 1;
  expect(beams.health).toMatchObject({ problem: undefined });
});

test('reads the levels again while the lines are quiet, so that a lost edge blocks no beam', async () => {
  const { tools, beams, seen } = await start({ quietFor: 20 });
  await tools.print(edgeLine('GPIO17', 2, Math.ceil(monotonicNow())));
  await expect.poll(() => seen.at(-1)).toMatchObject({ beam: 'a', broken: true });
  await expect.poll(() => seen.at(-1)).toMatchObject({ levels: { a: false, b: false } });
  expect(beams.health).toMatchObject({ problem: undefined, restarts: 0, lostEdges: 1 });
});

test('leaves no process running after it is closed', async () => {
  const { tools, beams, stopping, ended } = await start();
  await expect.poll(() => beams.health.problem).toBeUndefined();
  const pid = await tools.pid();
  stopping.abort();
  await ended;
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('orders the edges of a piece of output, and never returns one before another or a moment it has returned', async () => {
  const { tools, beams, seen } = await start();
  await expect.poll(() => beams.health.problem).toBeUndefined();
  const now = Math.ceil(monotonicNow());
  await tools.print(edgeLine('GPIO17', 2, now + 3_600_000) + edgeLine('GPIO27', 1, now));
  await expect.poll(() => seen).toHaveLength(3);
  await tools.print(edgeLine('GPIO27', 2, now - 60_000) + edgeLine('GPIO17', 1, Math.ceil(monotonicNow())));
  await expect.poll(() => seen).toHaveLength(5);
  const stamps = seen.map(({ at }) => at);
  expect(stamps).toEqual(stamps.toSorted((one, other) => one - other));
  expect(Math.max(...stamps)).toBeLessThanOrEqual(monotonicNow());
  expect(beams.health.lateEdges).toBe(1);
});
