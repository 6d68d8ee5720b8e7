/**
 * A function that runs a task, which must not reject, and returns at once. A run that is asked for while the task runs follows
 * when it has ended, once however often it was asked for: so results come in the order of the runs, and a task that takes
 * longer than the pauses between requests still ends.
 */
export function oneAtATime(task: () => Promise<void>): () => void {
  let isRunning = false;
  let isAskedAgain = false;
  const run = async () => {
    isRunning = true;
    do {
      isAskedAgain = false;
      await task();
    } while (isAskedAgain);
    isRunning = false;
  };
  return () => {
    if (isRunning) isAskedAgain = true;
    else void run();
  };
}
