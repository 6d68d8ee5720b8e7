import { stopSignal } from '@visitor-counter/service/run-service';

/** Aborts when the user ends a command, or its parent process has ended. */
export function stopOnSignal(env: NodeJS.ProcessEnv): AbortSignal {
  const stopping = new AbortController();
  void stopSignal(env).then(() => stopping.abort());
  return stopping.signal;
}
