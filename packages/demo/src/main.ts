import { answerArguments, helpOfSettings, printAnswer } from '@visitor-counter/service/command-line';
import { reasonOf } from '@visitor-counter/service/errors';
import { returnMemoryWhenIdle } from '@visitor-counter/service/return-memory';
import { stopSignal } from '@visitor-counter/service/run-service';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { Backlog } from './backlog.ts';
import { demoSettings, readDemoConfig } from './demo-config.ts';
import { nextSteps } from './next-steps.ts';
import { storeOlderMonths } from './older-months.ts';
import { reportSales } from './report-sales.ts';
import { createScreen, type Screen } from './screen.ts';
import { showBacklog, showStores } from './show.ts';
import { type Demo, startDemo } from './start-demo.ts';

const help = `Usage: npx pnpm start

Runs the whole product in this terminal: PostgreSQL, the server, and counter units with simulated beams that deliver a
real recording. Ctrl-C stops everything; the next start continues. All data and logs are in the folder DATA_DIR.

${helpOfSettings([{ title: 'Environment variables', settings: demoSettings }])}
A default port that is taken is replaced by the next free one. With a certificate, units of your own connect with TLS,
and the simulated ones to 127.0.0.1 without it. The other settings of npx pnpm serve --help are valid here, too.

Exit codes: 0 stopped by a signal, 1 failed, 2 a setting or an argument cannot be used.
`;

const answer = answerArguments(process.argv.slice(2), help);
if (answer) printAnswer(answer);
else await runDemo();

async function runDemo(): Promise<void> {
  const closed = new AbortController();
  const signal = AbortSignal.any([stopSignal(process.env), closed.signal]);
  /* Closing the terminal stops the demonstration; without a terminal, SIGHUP has no effect. */
  if (process.stdout.isTTY) process.once('SIGHUP', () => closed.abort());
  returnMemoryWhenIdle();
  const screen = createScreen(process.stdout);
  const stack = new AsyncDisposableStack();
  try {
    const config = readDemoConfig(process.env);
    const backlog = new Backlog();
    const demo = await startDemo({ config, screen, stack, signal, backlog });
    screen.line(nextSteps(demo.state, demo.addresses, config.httpTls?.certFile));
    await Promise.race([show(demo, backlog, screen, signal), demo.failure]);
  } catch (error) {
    if (!signal.aborted) fail(error);
  }
  const isStopped = signal.aborted;
  closed.abort();
  screen.keep();
  if (isStopped) screen.line('\nStopping …');
  await stack.disposeAsync();
  if (isStopped) screen.line('Stopped. The next start continues from here.');
}

/** Shows how the past is delivered, and then the present. */
async function show(demo: Demo, backlog: Backlog, screen: Screen, signal: AbortSignal): Promise<void> {
  await showBacklog(demo, backlog, screen, signal);
  await Promise.all([
    sell(demo, screen, signal),
    addPast(demo, screen, signal),
    showStores(demo, screen, signal),
  ]);
}

/** Without sales the page has no conversion, and everything else. */
async function sell(demo: Demo, screen: Screen, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  const onReported = () => screen.done('the tills have reported their sales', startedAt);
  await reportSales(demo, signal, onReported, (error) => screen.notice(`no sales: ${reasonOf(error)}`));
}

/** Without older months the page has nothing of the year before. */
async function addPast(demo: Demo, screen: Screen, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  try {
    await storeOlderMonths(demo, signal);
    screen.done('the stores have 14 months of past', startedAt);
  } catch (error) {
    if (!signal.aborted) screen.notice(`no older months: ${reasonOf(error)}`);
  }
}

function fail(error: unknown): void {
  const isSetting = error instanceof ConfigurationError;
  console.error(isSetting ? error.message : error);
  process.exitCode = isSetting ? 2 : 1;
}
