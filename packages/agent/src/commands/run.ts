import type { Environment } from '@visitor-counter/service/environment';
import { type Logger, standardOutput } from '@visitor-counter/service/logger';
import { runService } from '@visitor-counter/service/run-service';
import { RecentLines } from '../diagnosis/recent-lines.ts';
import { startAgent } from '../start-agent.ts';
import { notifySystemd } from '../systemd/notify.ts';
import { restartBySystemd } from '../systemd/restart.ts';

/** Runs the counter unit until it is told to stop. Exit codes as `runService` has them. */
export function run(configFile: string, env: Environment): Promise<void> {
  const recentLines = new RecentLines(standardOutput());
  const start = async (log: Logger) => {
    const agent = await startAgent(configFile, env, log, { ...restartBySystemd(env), recentLines });
    const stopNotifying = await notifySystemd(env, (error) => log.warn({ err: error }, 'systemd not told'));
    const close = () => {
      stopNotifying();
      return agent.close();
    };
    return { ...agent, close };
  };
  return runService('agent', env, start, recentLines);
}
