import { expect, test } from 'vitest';
import { type LoginAttempt, LoginFailures } from './login-failures.ts';

function failures(perMinute: number) {
  const clock = { now: 0 };
  const logins = new LoginFailures(perMinute, () => clock.now);
  const mayTry = async (address: string, who: string) => {
    const attempt = await logins.attempt(address, who);
    attempt?.undecided();
    return attempt !== undefined;
  };
  const fail = async (address: string, who: string) => (await logins.attempt(address, who))?.failed();
  return { clock, logins, mayTry, fail };
}

/** Many logins at the same moment; each that may be tried ends as `end` says. Gives how many were tried. */
async function burst(logins: LoginFailures, count: number, end: (attempt: LoginAttempt) => void) {
  let tried = 0;
  const login = async (index: number) => {
    const attempt = await logins.attempt('a', `CU-${index}`);
    if (attempt === undefined) return;
    tried += 1;
    await new Promise(setImmediate);
    end(attempt);
  };
  await Promise.all(Array.from({ length: count }, (_, index) => login(index)));
  return tried;
}

test('lets an address fail a number of times, and then as often as the rate allows', async () => {
  const { clock, mayTry, fail } = failures(3);
  for (let count = 0; count < 3; count += 1) {
    expect(await mayTry('a', `CU-${count}`)).toBe(true);
    await fail('a', `CU-${count}`);
  }
  clock.now = 19_000;
  expect(await mayTry('a', 'CU-9')).toBe(false);
  expect(await mayTry('b', 'CU-9')).toBe(true);
  clock.now = 20_000;
  expect(await mayTry('a', 'CU-9')).toBe(true);
});

test('keeps no device out that has logged in from the address, except for failures of its own', async () => {
  const { logins, mayTry, fail } = failures(2);
  (await logins.attempt('a', 'CU-1'))?.succeeded();
  for (let count = 0; count < 5; count += 1) await fail('a', `CU-x${count}`);
  expect(await mayTry('a', 'CU-1')).toBe(true);
  expect(await mayTry('a', 'CU-2')).toBe(false);

  for (let count = 0; count < 2; count += 1) await fail('a', 'CU-1');
  expect(await mayTry('a', 'CU-1')).toBe(false);
});

test('lets no more fail when all come at once, and is as good as new a minute later', async () => {
  const { clock, logins } = failures(10);
  (await logins.attempt('a', 'CU-known'))?.succeeded();

  const wrong = burst(logins, 2_000, (attempt) => attempt.failed());
  const known = await logins.attempt('a', 'CU-known');
  expect(known).toBeDefined();
  expect(await wrong).toBe(10);
  clock.now = 6_000;
  expect(await burst(logins, 5, (attempt) => attempt.failed())).toBe(1);
  clock.now = 66_000;
  expect(await burst(logins, 2_000, (attempt) => attempt.failed())).toBe(10);
});

test.each(['succeeded', 'undecided'] as const)(
  'lets all in the end try that come at once, when they have %s',
  async (end) => {
    const { logins } = failures(10);

    expect(await burst(logins, 2_000, (attempt) => attempt[end]())).toBe(2_000);
    expect(await burst(logins, 2_000, (attempt) => attempt.failed())).toBe(end === 'undecided' ? 10 : 2_000);
  },
);

test('gives an attempt back where it was taken, when its device has become known meanwhile', async () => {
  const { logins, mayTry } = failures(2);
  const [first, second] = [await logins.attempt('a', 'CU-1'), await logins.attempt('a', 'CU-1')];
  first?.succeeded();
  second?.failed();

  const third = await logins.attempt('a', 'CU-2');
  expect(third).toBeDefined();
  third?.failed();
  expect(await mayTry('a', 'CU-2')).toBe(false);
  expect(await mayTry('a', 'CU-1')).toBe(true);
});
