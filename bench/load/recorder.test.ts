import { expect, test } from 'vitest';
import { Recorder } from './recorder.ts';
import type { SentMessage } from './unit.ts';

const due = (...instants: number[]): SentMessage[] =>
  instants.map((dueAt) => ({ channel: 'crossings', dueAt }));

test('counts messages that are acknowledged during the measurement', () => {
  const recorder = new Recorder(100, 200);
  recorder.acknowledged(due(90, 95), 99);
  recorder.acknowledged(due(99), 100);
  recorder.acknowledged(due(150, 160), 199);
  recorder.acknowledged(due(199), 200);
  expect(recorder.count).toBe(3);
});

test('measures the latency of all messages due during the measurement, from the instant at which they were due', () => {
  const recorder = new Recorder(100, 200);
  recorder.acknowledged(due(99), 150);
  recorder.acknowledged(due(100), 110);
  recorder.acknowledged(due(199), 600);
  recorder.unacknowledged(due(120, 201), 5_120);
  const { count, max } = recorder.crossings;
  expect(count).toBe(3);
  expect(Math.round(max / 10)).toBe(500);
});

test('records heartbeats separately', () => {
  const recorder = new Recorder(100, 200);
  recorder.acknowledged([{ channel: 'heartbeat', dueAt: 100 }, ...due(100, 100)], 101);
  expect(recorder.heartbeats.count).toBe(1);
  expect(recorder.crossings.count).toBe(2);
});
