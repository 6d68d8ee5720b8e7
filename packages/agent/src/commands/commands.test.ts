import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { agentMain } from '../../test/agent-main.ts';
import { fakeGpiod, passage } from '../../test/fake-gpiod.ts';
import { startBroker } from '../../test/test-broker.ts';
import { monotonicNow } from '../clock/time.ts';

/** A unit's folder, with stand-ins for libgpiod's tools; its commands run as the processes they are. */
async function unit(server = 'mqtt://127.0.0.1:1') {
  const folder = await temporaryFolder();
  const gpio = await fakeGpiod(folder);
  const config = join(folder, 'unit.yaml');
  await writeFile(
    config,
    `# of the front door
serial: CU-1
secret: secret
server: ${server}
journal: journal
beams:
  source: gpio
  a: { line: GPIO27, activeLow: false } # street
  b: { line: GPIO17 }
`,
  );
  const children: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of children)
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await gpio.close();
  });
  const agent = (command: string, ...args: string[]) => {
    const child = spawn(process.execPath, [agentMain, command, '--config', config, ...args], {
      env: gpio.env,
    });
    children.push(child);
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk;
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const ended = once(child, 'close');
    return {
      says: (text: string | RegExp) => expect.poll(() => output).toMatch(text),
      ended: async () => {
        await ended;
        return { code: child.exitCode, output };
      },
      stop: async () => {
        child.kill('SIGTERM');
        await ended;
        return { code: child.exitCode, output };
      },
    };
  };
  return { folder, gpio, config, agent };
}

/** A person who passes two lines that idle high, beginning now. */
const walk = (first: string, second: string) => passage(first, second, Math.ceil(monotonicNow()), 2);

test('learn finds swapped beams and inverted levels from three walks, and preserves the file’s comments', async () => {
  const { gpio, config, agent } = await unit();
  const running = agent('run');
  await running.says('beams are read');
  const learning = agent('learn');
  for (const number of [1, 2, 3]) {
    await learning.says(`Walk ${number} of 3`);
    await gpio.print(walk('GPIO17', 'GPIO27'));
  }
  const { code, output } = await learning.ended();
  expect(output).toContain('beam a (street): GPIO17, broken = low');
  expect(code).toBe(0);
  const written = await readFile(config, 'utf8');
  expect(written).toContain('# of the front door');
  expect(written).toMatch(
    /a: \{ line: GPIO17, activeLow: true \} # street\n {2}b: \{ line: GPIO27, activeLow: true \}/,
  );
});

test('watch shows the path of each person through the running agent', async () => {
  const { gpio, config, agent } = await unit();
  await writeFile(
    config,
    (await readFile(config, 'utf8'))
      .replace('activeLow: false', 'activeLow: true')
      .replace('GPIO17 }', 'GPIO17, activeLow: true }'),
  );
  for (const command of ['watch', 'learn', 'record']) {
    expect(await agent(command).ended()).toMatchObject({
      code: 1,
      output: expect.stringContaining('No agent runs'),
    });
  }
  const running = agent('run');
  await running.says('beams are read');
  const watching = agent('watch');
  await watching.says('through the running agent');
  await gpio.print(walk('GPIO17', 'GPIO27'));
  await watching.says(/b, both, a: OUT/);
  const { output } = await agent('status', '--json').ended();
  expect(JSON.parse(output)).toMatchObject([
    { serial: 'CU-1', in: 0, out: 1, delivery: { recorded: 1, connected: false } },
  ]);
  expect((await agent('status').ended()).output).toContain('1 crossings, 1 not yet acknowledged');
  expect(await agent('identify').ended()).toMatchObject({
    code: 1,
    output: expect.stringContaining('no light'),
  });
  await running.stop();
  expect((await watching.ended()).output).toContain('The agent has ended.');
  expect(await agent('status').ended()).toMatchObject({
    code: 1,
    output: expect.stringContaining('No agent runs'),
  });
});

test('record writes a trace of the running agent that detect reads', async () => {
  const { folder, gpio, config, agent } = await unit();
  await writeFile(
    config,
    (await readFile(config, 'utf8'))
      .replaceAll(/line: GPIO\d+/g, '$&, activeLow: true')
      .replace(', activeLow: false', ''),
  );
  const trace = join(folder, 'door.csv');
  const running = agent('run');
  await running.says('beams are read');
  const recording = agent('record', '--out', trace);
  await recording.says('Recording');
  await gpio.print(walk('GPIO27', 'GPIO17'));
  await expect.poll(async () => (await readFile(trace, 'utf8')).trimEnd().split('\n')).toHaveLength(7);
  expect((await recording.stop()).code).toBe(0);
  const detect = spawn(process.execPath, [agentMain, 'detect']);
  detect.stdin.end(await readFile(trace));
  const [line] = await once(detect.stdout, 'data');
  expect(JSON.parse(String(line))).toEqual({ at: expect.any(Number), direction: 'in' });
});

test('doctor prints the result and advice of each check, and returns an exit code', async () => {
  const { gpio, config, agent } = await unit();
  const bad = await agent('doctor').ended();
  expect(bad.output).toMatch(/✔ gpio tools +libgpiod 2\.2\.1/);
  expect(bad.output).toMatch(
    /! beam a +GPIO27 is high: broken\n +stand clear; both still broken: `agent learn`/,
  );
  expect(bad.output).toMatch(
    /✘ server port +127\.0\.0\.1:1: .*ECONNREFUSED.*\n +let the unit reach TCP port 1/,
  );
  expect(bad.code).toBe(1);

  const broker = await startBroker();
  onTestFinished(() => broker.close());
  await gpio.levels('0 0\n');
  await writeFile(config, (await readFile(config, 'utf8')).replace('127.0.0.1:1', broker.server.slice(7)));
  const good = await agent('doctor').ended();
  expect(good.output).toMatch(/✔ login +CU-1, within \d+ ms/);
  expect(good.code).toBe(0);

  await writeFile(config, 'seriall: CU-1');
  expect(await agent('doctor').ended()).toMatchObject({
    code: 2,
    output: expect.stringMatching(/seriall is "CU-1".*\n +correct seriall in .*unit\.yaml\n/),
  });
  await rm(config);
  expect(await agent('doctor').ended()).toMatchObject({
    code: 2,
    output: expect.stringMatching(/a file that can be read \(ENOENT: .*\)\n.*counter-agent enrol/),
  });
});

test('returns exit code 2 for a command without --config', async () => {
  const child = spawn(process.execPath, [agentMain, 'run']);
  await once(child, 'close');
  expect(child.exitCode).toBe(2);
});
