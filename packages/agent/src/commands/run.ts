import type { Environment } from '@visitor-counter/service/environment';
import { runService } from '@visitor-counter/service/run-service';
import { startAgent } from '../start-agent.ts';

/** Runs the counter unit until it is told to stop. Exit codes as `runService` has them. */
export function run(configFile: string, env: Environment): Promise<void> {
  return runService('agent', env, (log) => startAgent(configFile, env, log));
}
