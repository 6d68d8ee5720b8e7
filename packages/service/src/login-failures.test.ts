import { expect, test } from 'vitest';
import { LoginFailures } from './login-failures.ts';

type End = 'right' | 'wrong' | 'unavailable';

/** Logins with a given result; records how each was checked. */
function logins(perMinute: number) {
  const clock = { now: 0 };
  const failures = new LoginFailures(perMinute, () => clock.now);
  const checks = { alone: 0, batched: 0 };
  const check = async (address: string, end: End) => {
    const by = (way: keyof typeof checks) => async () => {
      checks[way] += 1;
      await new Promise(setImmediate);
      return end;
    };
    const checked = await failures.check({
      address,
      alone: by('alone'),
      batched: by('batched'),
      isRight: (verdict) => (verdict === 'unavailable' ? undefined : verdict === 'right'),
    });
    return 'tooMany' in checked ? 'too many' : checked.verdict;
  };
  const burst = (count: number, end: End) =>
    Promise.all(Array.from({ length: count }, () => check('a', end)));
  return { clock, check, checks, burst };
}

test('returns a verdict for a burst of wrong logins of an address, and then as often as the rate allows', async () => {
  const { clock, check } = logins(3);
  for (let count = 0; count < 3; count += 1) expect(await check('a', 'wrong')).toBe('wrong');
  clock.now = 19_000;
  expect(await check('a', 'wrong')).toBe('too many');
  expect(await check('b', 'wrong')).toBe('wrong');
  clock.now = 20_000;
  expect(await check('a', 'wrong')).toBe('wrong');
});

test('accepts every right login from an address that has failed too often', async () => {
  const { check, checks } = logins(2);
  for (let count = 0; count < 5; count += 1) await check('a', 'wrong');

  expect(await check('a', 'right')).toBe('right');
  expect(checks.alone).toBe(2);
});

test('checks no more wrong logins alone than may fail, when all arrive at the same moment', async () => {
  const { clock, checks, burst } = logins(10);

  const verdicts = await burst(2_000, 'wrong');
  expect(verdicts.filter((verdict) => verdict === 'wrong')).toHaveLength(10);
  expect(checks).toEqual({ alone: 10, batched: 1_990 });
  clock.now = 60_000;
  await burst(2_000, 'wrong');
  expect(checks.alone).toBe(20);
});

test.each(['right', 'unavailable'] as const)('spends no budget on logins that are %s', async (end) => {
  const { burst } = logins(10);

  expect(new Set(await burst(2_000, end))).toEqual(new Set([end]));
  const wrong = await burst(2_000, 'wrong');
  expect(wrong.filter((verdict) => verdict === 'wrong')).toHaveLength(10);
});
