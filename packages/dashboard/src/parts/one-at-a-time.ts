/**
 * Returns a function that starts a task, which must not reject. Only one run of the task is in flight: calls during a run
 * start one more run after it. So results arrive in order, and a task completes that takes longer than the pauses between the
 * calls.
 */
export function oneAtATime(task: () => Promise<void>): () => void {
  let isRunning = false;
  let isCalledAgain = false;
  const run = async () => {
    isRunning = true;
    do {
      isCalledAgain = false;
      await task();
    } while (isCalledAgain);
    isRunning = false;
  };
  return () => {
    if (isRunning) isCalledAgain = true;
    else void run();
  };
}
