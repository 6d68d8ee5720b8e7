import { expect, test } from 'vitest';
import { fromSpan, problemOf, toSpan } from './spans.ts';

test('writes midnight at the end as 24:00, and reads it as the field has it', () => {
  expect(toSpan('20:00-24:00')).toEqual({ from: '20:00', to: '00:00' });
  expect(['09:00-12:30', '20:00-02:00', '00:00-24:00'].map((one) => fromSpan(toSpan(one)))).toEqual([
    '09:00-12:30',
    '20:00-02:00',
    '00:00-24:00',
  ]);
});

test('finds mistakes in the hours of a day', () => {
  expect(problemOf(['00:00-24:00'])).toBeUndefined();
  expect(problemOf(['13:00-18:00', '09:00-13:00', '20:00-02:00'])).toBeUndefined();
  expect(problemOf(['09:00-09:00'])).toBe('empty');
  expect(problemOf(['09:00-12:00', '11:00-13:00'])).toBe('overlap');
  expect(problemOf(['20:00-02:00', '22:00-23:00'])).toBe('overlap');
  expect(problemOf(['09:00-'])).toBe('incomplete');
});
