import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

const from = { MAIL_FROM: 'counter@acme.example' };

test.each([
  [from, 'SMTP_URL is not set: expected a URL such as '],
  [{ ...from, SMTP_URL: 'user:secret@mail.example' }, 'SMTP_URL is "…": expected a URL such as '],
  [{ SMTP_URL: 'smtp://mail.example' }, 'MAIL_FROM is not set: expected the address '],
])('names what is missing or wrong of %j', (env, message) => {
  expect(() => readConfig(env)).toThrow(message);
});

test('sends no mail where neither is set', () => {
  expect(readConfig({}).mail).toBeUndefined();
});
