import Type from 'typebox';
import { Compile } from 'typebox/compile';

/**
 * Preloaded into a process of the campaign: its wall clock is off by what the campaign says over IPC, from
 * that moment on. The monotonic clock and timers are as they are on a machine whose clock is set.
 */
const message = Compile(Type.Object({ clock: Type.Integer() }));
const trueNow = Date.now;
let offset = 0;

Date.now = () => trueNow() + offset;
globalThis.Date = new Proxy(Date, {
  construct: (date, values: []) => (values.length === 0 ? new date(date.now()) : new date(...values)),
});

process.on('message', (told) => {
  if (message.Check(told)) offset = told.clock;
});
// It listens, but is no reason for the process to stay.
process.channel?.unref();
