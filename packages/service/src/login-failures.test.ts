import { expect, test } from 'vitest';
import { BatchedLookup, LoginFailures } from './login-failures.ts';

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

test('looks up keys in batches, one after the other, that alternate between addresses', async () => {
  const batches: (readonly string[])[] = [];
  let inFlight = 0;
  const lookups = new BatchedLookup(
    async (keys: readonly string[]) => {
      inFlight += 1;
      expect(inFlight).toBe(1);
      batches.push(keys);
      await new Promise(setImmediate);
      inFlight -= 1;
      return new Map(keys.filter((key) => key.startsWith('honest')).map((key) => [key, key.length]));
    },
    { most: 10, pause: 0 },
  );
  const flood = Array.from({ length: 100 }, (_, index) => lookups.find('guesser', `guess ${index}`));
  const honest = lookups.find('elsewhere', 'honest');
  const afterTheGuesser = lookups.find('guesser', 'honest too');

  expect(await honest).toBe(6);
  expect(batches).toHaveLength(2);
  expect(await afterTheGuesser).toBe(10);
  expect(new Set(await Promise.all(flood))).toEqual(new Set([undefined]));
  expect(batches.every((batch) => batch.length <= 10)).toBe(true);
});

test('rejects the lookups of a batch that fails, and continues with the next', async () => {
  let fails = true;
  const lookups = new BatchedLookup(async (keys: readonly string[]) => {
    if (fails) throw new Error('unavailable');
    return new Map(keys.map((key) => [key, key]));
  });

  await expect(lookups.find('a', 'one')).rejects.toThrow('unavailable');
  fails = false;
  expect(await lookups.find('a', 'two')).toBe('two');
});
