import { stopSignal } from '@visitor-counter/service/run-service';

/** Aborts when the person in front of a command wants it to end, or whoever started it is gone. */
export function stopOnSignal(env: NodeJS.ProcessEnv): AbortSignal {
  const stopping = new AbortController();
  void stopSignal(env).then(() => stopping.abort());
  return stopping.signal;
}
