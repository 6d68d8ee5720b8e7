import { expect, test } from 'vitest';
import { checkService, judgeService } from './check-service.ts';

const running = {
  LoadState: 'loaded',
  ActiveState: 'active',
  SubState: 'running',
  Result: 'success',
  NRestarts: '0',
};

test('a service that cannot start is what keeps a unit from counting, and the log says why', () => {
  const looping = {
    ActiveState: 'activating',
    SubState: 'auto-restart',
    Result: 'exit-code',
    NRestarts: '7',
  };
  expect(judgeService('s.service', { ...running, ...looping })).toEqual({
    what: 'service',
    verdict: 'fail',
    detail: 's.service fails (exit-code), started anew 7 times',
    advice: '`journalctl -u s.service -n 20` says why; then `sudo systemctl restart s.service`',
  });
  const failed = { ActiveState: 'failed', SubState: 'failed', Result: 'exit-code' };
  expect(judgeService('s.service', { ...running, ...failed }).verdict).toBe('fail');
});

test('a service that runs is well, also after restarts; one that is stopped or still starts is not', () => {
  expect(judgeService('s.service', running)).toEqual({
    ...{ what: 'service', verdict: 'ok', detail: 's.service runs' },
  });
  expect(judgeService('s.service', { ...running, NRestarts: '2' })).toMatchObject({
    verdict: 'ok',
    detail: 's.service runs, started anew 2 times',
  });
  for (const ActiveState of ['inactive', 'activating']) {
    expect(judgeService('s.service', { ...running, ActiveState, SubState: 'start' }).verdict).toBe('fail');
  }
});

test('a file that no service runs with has none to look at', async () => {
  expect(await checkService('/tmp/unit.yaml', {})).toEqual([]);
  const env = { COUNTER_SERVICE: 's.service', COUNTER_CONFIG: '/etc/visitor-counter/unit.yaml' };
  expect(await checkService('/tmp/unit.yaml', env)).toEqual([]);
});
