import { expect, test } from 'vitest';
import { promtool } from './debian-prometheus.ts';

test('promtool accepts rules and configuration, and the alerts fire when they must', async () => {
  expect(await promtool('check', 'config', 'prometheus.yml')).toContain('SUCCESS');
  expect(await promtool('test', 'rules', 'visitor-counter.rules.test.yml')).toContain('SUCCESS');
});
