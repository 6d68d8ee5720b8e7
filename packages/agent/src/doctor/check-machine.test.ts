import { expect, test } from 'vitest';
import { checkDisk, judgePackage, judgePower, judgeService } from './check-machine.ts';

const running = {
  LoadState: 'loaded',
  UnitFileState: 'enabled',
  ActiveState: 'active',
  SubState: 'running',
  Result: 'success',
  NRestarts: '0',
};

test('reports a service that cannot start, and points to the log', () => {
  const looping = {
    ActiveState: 'activating',
    SubState: 'auto-restart',
    Result: 'exit-code',
    NRestarts: '7',
  };
  expect(judgeService('s.service', { ...running, ...looping })).toEqual({
    what: 'service',
    verdict: 'fail',
    detail: 's.service fails (exit-code), restarted 7 times',
    advice:
      '`sudo journalctl --namespace=+counter-agent -u s.service -n 20` shows why; then `sudo systemctl restart s.service`',
  });
  const failed = { ActiveState: 'failed', SubState: 'failed', Result: 'exit-code' };
  expect(judgeService('s.service', { ...running, ...failed }).verdict).toBe('fail');
});

test('accepts a running service, also after restarts, and reports one that is stopped or starting', () => {
  expect(judgeService('s.service', running)).toEqual({
    what: 'service',
    verdict: 'ok',
    detail: 's.service runs',
  });
  expect(judgeService('s.service', { ...running, NRestarts: '2' })).toMatchObject({
    verdict: 'ok',
    detail: 's.service runs, restarted 2 times',
  });
  for (const ActiveState of ['inactive', 'activating']) {
    expect(judgeService('s.service', { ...running, ActiveState, SubState: 'start' }).verdict).toBe('fail');
  }
});

test.each([
  ['throttled=0x0', 'ok'],
  ['throttled=0x50000', 'warn'],
  ['throttled=0x50005', 'fail'],
])('reports undervoltage: %s', (text, verdict) => {
  expect(judgePower(`${text}\n`)).toMatchObject([{ what: 'power', verdict }]);
});

test('warns of a journal in memory', async () => {
  expect(await checkDisk('/dev/shm/journal')).toMatchObject({
    verdict: 'warn',
    detail: expect.stringMatching(/is on tmpfs/),
  });
});

const configure = '`sudo dpkg --configure -a`';
const install = `${configure}, then \`sudo apt install ./counter-agent_*.deb\` with the same package`;

test.each([
  ['half-installed reinstreq', false, install],
  ['installed reinstreq', false, install],
  ['unpacked ok', false, configure],
  ['half-configured ok', false, configure],
  ['installed ok', true, configure],
  ['installed ok', false, undefined],
])('a package that is %s, with pending changes of dpkg %s: advises %s', (state, pending, advice) => {
  expect(judgePackage(state, pending).map((finding) => finding.advice)).toEqual(advice ? [advice] : []);
});
