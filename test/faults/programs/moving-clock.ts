import Type from 'typebox';
import { Compile } from 'typebox/compile';

/**
 * Preloaded into a process of the campaign: the campaign sets the error of its wall clock over IPC. The monotonic clock
 * and timers are not affected, as on a machine whose clock is set.
 */
const message = Compile(Type.Object({ clock: Type.Integer() }));
const trueNow = Date.now;
let offset = 0;

Date.now = () => trueNow() + offset;
globalThis.Date = new Proxy(Date, {
  construct: (date, values: []) => (values.length === 0 ? new date(date.now()) : new date(...values)),
});

process.on('message', (received) => {
  if (message.Check(received)) offset = received.clock;
});
// The listener must not keep the process running.
process.channel?.unref();
