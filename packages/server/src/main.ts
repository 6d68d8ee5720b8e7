import { printAnswer } from '@visitor-counter/service/command-line';
import { notifySystemd, type Supervision } from '@visitor-counter/service/notify';
import { returnMemoryWhenIdle } from '@visitor-counter/service/return-memory';
import { runService } from '@visitor-counter/service/run-service';
import { readCommand } from './command-line.ts';
import { startServer } from './start-server.ts';

const command = readCommand(process.argv.slice(2));
if ('text' in command) printAnswer(command);
else {
  const { roles } = command;
  returnMemoryWhenIdle();
  await runService('server', process.env, async (log, stopping) => {
    let systemd: Promise<Supervision> | undefined;
    const notify = () => {
      systemd ??= notifySystemd(process.env, (err) => log.warn({ err }, 'systemd not notified'));
      return systemd;
    };
    const running = await startServer(roles, process.env, log, stopping, { onUnavailable: notify });
    const { stop } = await notify();
    const close = () => {
      stop();
      return running.close();
    };
    return { ...running, close };
  });
}
