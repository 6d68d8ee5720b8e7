import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadOrder } from './load-order.ts';
import { crossingsWriter, heartbeat } from './messages.ts';
import type { Recorder } from './recorder.ts';
import { Timetable } from './timetable.ts';
import type { Unit } from './unit.ts';

/** Sends from all units until `stopping`, and records every acknowledgement. */
export async function send(
  order: LoadOrder,
  units: readonly Unit[],
  recorder: Recorder,
  stopping: AbortSignal,
): Promise<void> {
  const { pace } = order;
  if ('inFlight' in pace) return sendFlatOut({ ...order, ...pace }, units, recorder, stopping);
  return sendInTime({ ...order, ...pace }, units, recorder, stopping);
}

/** Sends the next message when one is acknowledged. */
async function sendFlatOut(
  { crossingsPerMessage, since, inFlight }: LoadOrder & { inFlight: number },
  units: readonly Unit[],
  recorder: Recorder,
  stopping: AbortSignal,
): Promise<void> {
  for (const unit of units) {
    const next = crossingsWriter(crossingsPerMessage, since);
    const sendSome = (count: number) => {
      for (let sent = 0; sent < count; sent += 1)
        unit.send({ channel: 'crossings', dueAt: performance.now() }, next());
    };
    unit.onAcknowledged = (messages) => {
      recorder.acknowledged(messages);
      if (!stopping.aborted) sendSome(messages.length);
    };
    sendSome(inFlight);
  }
  if (!stopping.aborted) await once(stopping, 'abort');
}

/** The resolution of timers (ms). A message may be sent late by so much, which counts as latency. */
const tick = 1;

async function sendInTime(
  order: LoadOrder & { every: number; heartbeatEvery?: number },
  units: readonly Unit[],
  recorder: Recorder,
  stopping: AbortSignal,
): Promise<void> {
  const writers = units.map(() => crossingsWriter(order.crossingsPerMessage, order.since));
  for (const unit of units) unit.onAcknowledged = (messages) => recorder.acknowledged(messages);
  const begin = performance.now();
  const timetable = (seconds: number) =>
    new Timetable({ units: units.length, every: 1_000 * seconds, begin, random: Math.random });
  const crossings = timetable(order.every);
  const heartbeats = order.heartbeatEvery === undefined ? undefined : timetable(order.heartbeatEvery);
  while (!stopping.aborted) {
    await delay(tick);
    const now = performance.now();
    crossings.takeDue(now, (unit, dueAt) =>
      units[unit]?.send({ channel: 'crossings', dueAt }, writers[unit]?.() ?? ''),
    );
    heartbeats?.takeDue(now, (unit, dueAt) =>
      units[unit]?.send({ channel: 'heartbeat', dueAt }, heartbeat()),
    );
  }
}
