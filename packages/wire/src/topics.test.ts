import { expect, test } from 'vitest';
import { parseTopic, topic } from './topics.ts';

test('writes and parses a topic with its unit and channel', () => {
  expect(topic('CU-0001', 'crossings')).toBe('counter/v1/CU-0001/crossings');
  expect(parseTopic('counter/v1/CU-0001/crossings')).toEqual({ serial: 'CU-0001', channel: 'crossings' });
});

test.each([
  'counter/v1/+/crossings',
  'counter/v1/#',
  'counter/v1/CU-0001/#',
  'counter/v1/CU-0001/crossings/more',
  'counter/v1/CU-0001',
  'counter/v1//crossings',
  'counter/v2/CU-0001/crossings',
  'counter/v1/CU-0001/unknown',
  'counter/v1/CU 0001/crossings',
  'counter/v1/CU-0001\0/crossings',
  '$SYS/broker/clients',
  '/counter/v1/CU-0001/crossings',
  '',
])('refuses %j', (text) => {
  expect(parseTopic(text)).toBeUndefined();
});
