import { type Logger, standardOutput } from '@visitor-counter/service/logger';
import { notifySystemd } from '@visitor-counter/service/notify';
import { runService } from '@visitor-counter/service/run-service';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { RecentLines } from '../diagnosis/recent-lines.ts';
import { startAgent } from '../runtime/start-agent.ts';

/** Runs the counter unit until it is stopped. Exit codes as `runService` has them. */
export function run(configFile: string, env: Environment): Promise<void> {
  const recentLines = new RecentLines(standardOutput());
  const start = async (log: Logger) => {
    const agent = await startAgent(configFile, env, log, { recentLines });
    const systemd = await notifySystemd(env, (err) => log.warn({ err }, 'systemd not notified'));
    const close = () => {
      systemd.stop();
      return agent.close();
    };
    return { ready: agent.ready, close };
  };
  return runService('agent', env, start, recentLines);
}
