import { setTimeout as delay } from 'node:timers/promises';

/** Preloaded into a service: breaks it as `BREAK_BY` says, as soon as it runs and has a supervisor. */
const ways: Readonly<Record<string, () => void>> = {
  exception: () => {
    setImmediate(() => {
      throw new RangeError('Invalid time value');
    });
  },
  rejection: () => void Promise.reject(new Error('nothing handles this')),
  exit: () => process.exit(0),
  mistake: () => console.log(JSON.stringify({ level: 50, error: 'RangeError', msg: 'a mistake' })),
};

const send = process.send?.bind(process);
process.send = (message: unknown) => {
  const sent = send?.(message) ?? false;
  if (typeof message === 'object' && message !== null && 'ready' in message) {
    void delay(10).then(ways[process.env['BREAK_BY'] ?? '']);
  }
  return sent;
};
