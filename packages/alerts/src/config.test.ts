import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

const from = { MAIL_FROM: 'counter@acme.example' };

test.each([
  [from, 'SMTP_URL is not set: expected a URL such as '],
  [{ ...from, SMTP_URL: 'user:secret@mail.example' }, 'SMTP_URL is "…": expected a URL such as '],
  [{ SMTP_URL: 'smtp://mail.example' }, 'MAIL_FROM is not set: expected the address '],
  [
    { ...from, SMTP_URL: 'smtp://mail.example', SMTP_ALLOW_PLAINTEXT: 'yes' },
    'SMTP_ALLOW_PLAINTEXT is "yes"',
  ],
])('names the missing or invalid variable of %j', (env, message) => {
  expect(() => readConfig(env)).toThrow(message);
});

test.each([
  ['smtp://user:password@mail.example', 'false', true],
  ['smtp://user:password@mail.example?requireTLS=true&ignoreTLS=false', 'false', true],
  ['smtp://:password@mail.example', 'false', true],
  ['smtp://user:password@mail.example', 'true', false],
  ['smtp://user:password@mail.example?ignoreTLS=true', 'true', false],
  ['smtps://user:password@mail.example', 'false', false],
  ['smtp://mail.example', 'false', false],
])(
  'requires TLS for a password unless the operator allows plaintext: %s, %s',
  (url, plaintext, requireTls) => {
    const { mail } = readConfig({ ...from, SMTP_URL: url, SMTP_ALLOW_PLAINTEXT: plaintext });
    expect(mail?.requireTls).toBe(requireTls);
  },
);
