import { text } from 'node:stream/consumers';
import { createAuthority, createCertificate } from '@visitor-counter/test/certificates';
import { SMTPServer } from 'smtp-server';
import { onTestFinished } from 'vitest';

/**
 * A mail server that records messages and their recipients, and refuses the recipient `nobody`. `offered`: its commands in
 * addition to those that every mail server has.
 */
export async function startMailServer(offered: readonly ('STARTTLS' | 'AUTH')[] = []) {
  const received: { readonly to: readonly string[]; readonly message: string }[] = [];
  /** Passwords, and whether they came over TLS. */
  const logins: (readonly [password: string | null | undefined, secure: boolean])[] = [];
  const { cert, key } = await createCertificate(await createAuthority('company'), '127.0.0.1');
  const server = new SMTPServer({
    cert,
    key,
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: (['STARTTLS', 'AUTH'] as const).filter((command) => !offered.includes(command)),
    onAuth: ({ password }, { secure }, done) => {
      logins.push([password, secure]);
      done(null, { user: 'counter' });
    },
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('nobody@') ? new Error('no such user') : undefined),
    onData: (stream, { envelope }, done) => {
      text(stream).then((message) => {
        received.push({ to: envelope.rcptTo.map(({ address }) => address), message });
        done();
      }, done);
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.server.address();
  return { received, logins, host: `127.0.0.1:${typeof address === 'object' ? address?.port : 0}` };
}
