import { expect, test } from 'vitest';
import { isCommon, weaknessOf } from './weak-secret.ts';

test.each([
  ['', 'at least 16 characters'],
  ['short', 'at least 16 characters'],
  ['aaaaaaaaaaaaaaaaaaaaaaaa', 'different characters'],
  ['abcabcabcabcabcabcabc', 'different characters'],
  ['passwordpassword', 'common words'],
  ['ChangeMe-ChangeMe-123', 'common words'],
  ['visitor_counter_password', 'common words'],
  ['1234567890123456', 'common words'],
  ['abcdefghijklmnopqrst', 'common words'],
  ['0123456789abcdef', 'common words'],
  ['pa55 xylophone at 7', undefined],
  ['a secret of the file', undefined],
  ['3f0a9c1e7b2d4a6f', undefined],
])('%j lacks: %s', (secret, lacks) => {
  const found = weaknessOf(secret);
  if (lacks === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(lacks);
});

test('refuses a password that is made of the names that an attacker knows', () => {
  expect(weaknessOf('acme_serve-acme_serve-1', ['acme_serve', 'acme'])).toContain('names');
  expect(weaknessOf('acme_serve-acme_serve-1')).toBeUndefined();
});

test.each(['postgres', 'Postgres1', 'admin', 'visitor_counter', 'guest123', ''])(
  '%j is common, whatever its length',
  (password) => expect(isCommon(password, [])).toBe(password !== ''),
);

test('accepts random secrets of every usual form', () => {
  for (const form of ['base64', 'base64url', 'hex'] as const) {
    for (let seed = 0; seed < 200; seed += 1) {
      const bytes = crypto.getRandomValues(new Uint8Array(24));
      expect(weaknessOf(Buffer.from(bytes).toString(form))).toBeUndefined();
    }
  }
});
