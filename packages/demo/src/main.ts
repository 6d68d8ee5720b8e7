import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { stopSignal } from '@visitor-counter/service/run-service';
import { readDemoConfig } from './demo-config.ts';
import { root } from './processes/programs.ts';
import { showBacklog, showNextSteps, showStores } from './show.ts';
import { startDemo } from './start-demo.ts';
import { createScreen } from './terminal/screen.ts';
import { unitsProgress } from './units-progress.ts';

const interrupted = new AbortController();
void stopSignal(process.env).then(() => interrupted.abort());

const { signal } = interrupted;
const screen = createScreen(process.stdout);
const stack = new AsyncDisposableStack();
try {
  const config = readDemoConfig(process.env, root);
  const progress = unitsProgress();
  const demo = await startDemo({ config, screen, stack, signal, onUnitMessage: progress.report });
  showNextSteps(demo, screen);
  await showBacklog(demo, progress, screen, signal);
  await showStores(demo, screen, signal);
} catch (error) {
  if (!signal.aborted) {
    console.error(error instanceof ConfigurationError ? error.message : error);
    process.exitCode = error instanceof ConfigurationError ? 2 : 1;
  }
} finally {
  screen.keep();
  screen.line('Stopping …');
  await stack.disposeAsync();
  screen.line('Stopped. The next start goes on from here.');
}
