import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { agentMain } from '../../test/agent-main.ts';
import { fakeGpiod, passage } from '../../test/fake-gpiod.ts';
import { type Batch, crossingsAt, messagesAt, startBroker, type TestBroker } from '../../test/test-broker.ts';
import { monotonicNow } from '../clock/time.ts';
import { openJournal } from '../journal/open-journal.ts';
import { askOnce } from '../local/ask-agent.ts';

/** An agent as systemd would run it, with `program` as the installed program, and its messages to systemd. */
async function startedAgent(
  program: string,
  prepare: (broker: TestBroker, journal: string) => Promise<void> = async () => {},
) {
  const broker = await startBroker();
  const folder = await temporaryFolder();
  const gpiod = join(folder, 'gpiod');
  await mkdir(gpiod);
  const tools = await fakeGpiod(gpiod);
  await tools.levels('0 0\n');
  const executable = async (name: string, text: string) => {
    await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(folder, name), 0o755);
  };
  await executable('systemd-notify', `echo "$@" >> ${folder}/notified`);
  await executable('program', program);
  await executable('timedatectl', 'echo yes');
  const config = join(folder, 'unit.yaml');
  await prepare(broker, join(folder, 'journal'));
  const settings = `server: ${broker.server}\nserial: CU-1\nsecret: secret\njournal: journal\nkeep: { megabytes: 1 }\n`;
  const unit = `${settings}beams: { source: gpio, a: { line: GPIO17 }, b: { line: GPIO27 } }\n`;
  await writeFile(config, unit);
  const agent = spawn(process.execPath, [agentMain, 'run', '--config', config], {
    env: {
      ...tools.env,
      PATH: `${folder}:${tools.env['PATH']}`,
      /* Not started through npx: the successor outlives the agent. */
      npm_lifecycle_event: undefined,
      NOTIFY_SOCKET: '/run/nobody',
      COUNTER_PROGRAM: join(folder, 'program'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  agent.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const ended = once(agent, 'exit');
  const notified = () => readFile(join(folder, 'notified'), 'utf8').catch(() => '');
  onTestFinished(async () => {
    const [, successor] = /MAINPID=(\d+)/.exec(await notified()) ?? [];
    agent.kill('SIGKILL');
    if (successor) process.kill(Number(successor), 'SIGKILL');
    await ended;
    await tools.close();
    await broker.close();
  });
  const view = () => askOnce(join(folder, 'journal'));
  await expect.poll(() => output).toContain('beams are read');
  await expect.poll(() => output).toContain('"msg":"ready"');
  const walk = () => tools.print(passage('GPIO17', 'GPIO27', Math.ceil(monotonicNow()), 1));
  return { agent, broker, config, unit, ended, notified, output: () => output, view, walk };
}

const installed = `exec ${process.execPath} ${agentMain} "$@"`;

test('a reload starts the installed program, which continues to count in the same journal', async () => {
  const { agent, broker, ended, notified, output, view, walk } = await startedAgent(installed);
  await walk();
  await expect.poll(async () => (await view())?.delivery?.recorded).toBe(1);
  agent.kill('SIGHUP');
  expect(await ended).toEqual([0, null]);
  expect(output()).toContain('handed over to the successor');
  await expect.poll(() => output().match(/beams are read/g)).toHaveLength(2);
  expect(await notified()).toMatch(new RegExp(`READY=1\\s.*MAINPID=(?!${agent.pid})\\d+`, 's'));
  await walk();
  await expect.poll(view).toMatchObject({ delivery: { recorded: 2, acknowledged: 2 } });
  const sent = messagesAt<Batch>(broker, 'crossings');
  expect(new Set(sent.map(({ journal }) => journal)).size).toBe(1);
  expect(sent.map(({ first }) => first)).toEqual([1, 2]);
  /* The old agent neither publishes `offline` nor waits for its connection. */
  expect(
    broker.received.filter(({ topic, payload }) => topic.endsWith('/status') && payload === 'offline'),
  ).toEqual([]);
});

test.each([
  ['a configuration that cannot be used', installed, /beams\.source is .*expected one of/],
  ['a program that fails', 'exit 3', /ended with exit code 3 before it was ready/],
  ['a program that is missing', 'exec /nowhere', /ended with exit code 12\d before it was ready/],
])('a reload with %s changes nothing and logs why', async (_, program, why) => {
  const { agent, config, notified, output, unit, view, walk } = await startedAgent(program);
  await writeFile(config, unit.replace('source: gpio', 'source: other'));
  agent.kill('SIGHUP');
  await expect.poll(output).toMatch(/successor cannot take over/);
  expect(output()).toMatch(why);
  await walk();
  await expect.poll(async () => (await view())?.delivery?.recorded).toBe(1);
  expect(agent.exitCode).toBeNull();
  expect(await notified()).not.toContain('MAINPID');
});

/** A full journal of one megabyte: seven segments. */
const full = 7 * 4_096;

test('a reload waits while crossings are only in memory, and hands over once they are delivered', async () => {
  const { promise: stored, resolve: store } = Promise.withResolvers<void>();
  const { agent, broker, ended, notified, output, view, walk } = await startedAgent(
    installed,
    async (server, folder) => {
      server.hold = ({ topic }) => (topic.endsWith('/crossings') ? stored : Promise.resolve());
      const journal = await openJournal(folder, { keepFor: 1e12 });
      await journal.append(Array.from({ length: full }, () => ({ at: 1e12, direction: 1 })));
      await journal.close();
    },
  );
  await walk();
  /* Before that it is pending for a moment, since the write has not failed yet. */
  await expect.poll(output).toContain('crossings cannot be stored: only in memory');
  await expect.poll(async () => (await view())?.delivery?.held).toBe(1);
  agent.kill('SIGHUP');
  await expect.poll(output).toContain('handover waits');
  await walk();
  await expect.poll(async () => (await view())?.delivery?.held).toBe(2);
  expect(output()).not.toContain('successor starts');
  expect(await notified()).not.toContain('MAINPID');

  store();

  expect(await ended).toEqual([0, null]);
  expect(output()).toContain('handed over to the successor');
  /* The successor delivers what the journal still has. */
  const keys = () => new Set(crossingsAt(broker).map(({ journal, sequence }) => `${journal} ${sequence}`));
  await expect.poll(() => keys().size).toBe(full + 2);
  expect(output()).not.toContain('crossings lost');
});
