import { expect, test } from 'vitest';
import { Recorder } from './recorder.ts';

test('counts what is acknowledged while it is measured', () => {
  const recorder = new Recorder(100, 200);
  recorder.acknowledged([90, 95], 99);
  recorder.acknowledged([99], 100);
  recorder.acknowledged([150, 160], 199);
  recorder.acknowledged([199], 200);
  expect(recorder.count).toBe(3);
});

test('knows the latency of all that was due while it was measured, from the instant at which it was due', () => {
  const recorder = new Recorder(100, 200);
  recorder.acknowledged([99], 150);
  recorder.acknowledged([100], 110);
  recorder.acknowledged([199], 600);
  recorder.unacknowledged([120, 201], 5_120);
  const { count, max } = recorder.latency;
  expect(count).toBe(3);
  expect(Math.round(max / 10)).toBe(500);
});
