import { wholeNumber } from '@visitor-counter/service/settings/kinds';
import { command, required, textOption } from '../command/command.ts';
import { inTransaction } from '../command/context.ts';
import { company, future, serialArgument } from '../command/options.ts';
import { createEnrolment } from './create-enrolment.ts';
import { identityOfServer } from './server-identity.ts';

/** The latest expiry of a code: 90 days from now (ms). */
const longest = 90 * 86_400_000;

/** When a code expires (epoch ms). */
const soon = {
  value: '<when>',
  description: '12h, 7d, 4w, a date or an instant, at most 90d',
  fallback: '7d',
  kind: {
    expected: 'a time within 90 days: 12h, 7d, 4w, 2027-01-31 or an instant',
    parse: (text: string) => {
      const expires = future.parse(text) ?? Number.POSITIVE_INFINITY;
      return expires <= Date.now() + longest ? expires : undefined;
    },
  },
};

const certificateOption = textOption('<file.pem>', 'the certificates of the server (default: HTTP_TLS_CERT)');

export const createCommand = command({
  name: 'create',
  description: 'Create a code by which units enrol.',
  options: {
    company,
    store: required(textOption('<sid>', 'the store of the new devices')),
    uses: {
      value: '<number>',
      description: 'how many units may enrol with it',
      fallback: '1',
      kind: wholeNumber(1, 10_000),
    },
    expires: soon,
    certificate: certificateOption,
  },
  help: `
The code is printed only once and not stored. It contains the fingerprint of the server's CA, taken from the file
of certificates that the api, or the proxy in front of it, uses: the last certificate in it, or the public root that
has signed that one. Append a CA of your own to that file, after the certificate that it has signed.

Example:
  admin enrolment create --store S-1 --uses 10 --expires 7d --certificate /etc/counter/fullchain.pem`,
  run: async (context, { certificate, store, company, uses, expires }) => {
    const { serverKeyHash, server } = await identityOfServer(context, certificate);
    const wanted = { company, of: { store }, uses, expires, serverKeyHash };
    const created = await inTransaction(context, (trx, author) => createEnrolment(trx, author, wanted));
    const what = `code ${created.id} for store ${store} of ${created.company}, ${uses === 1 ? 'one use' : `${uses} uses`}`;
    const where = `until ${created.expires}, at servers with a certificate of ${server}`;
    const text = `${what}, ${where}\n\nShown only this once:\n  ${created.code}`;
    return { json: { ...created, server }, text };
  },
});

export const replaceCommand = command({
  name: 'replace',
  description: 'Create a code with which another unit replaces the unit of a device.',
  argument: serialArgument,
  options: { expires: soon, certificate: certificateOption },
  help: `
The device keeps its store, its history and its settings. Enrol the new unit with this code and the same serial number:
the connection of the old one then ends within 5 seconds, and its secret stops working. Until then the old unit counts as
before. Crossings that it has not delivered are delivered from its card: see the installers' guide.

Example:
  admin device replace CU-0001 --certificate /etc/counter/fullchain.pem`,
  run: async (context, { certificate, expires }, serial) => {
    const { serverKeyHash, server } = await identityOfServer(context, certificate);
    const wanted = { of: { replace: serial }, uses: 1, expires, serverKeyHash };
    const created = await inTransaction(context, (trx, author) => createEnrolment(trx, author, wanted));
    const { code, replaces } = created;
    const until = `until ${created.expires}, at servers with a certificate of ${server}`;
    const text = `a new unit can replace that of ${replaces} ${until}. On the new unit:
  sudo counter-agent enrol --server https://ADDRESS --serial ${replaces}

It asks for this code, shown only this once:
  ${code}`;
    return { json: { ...created, server }, text };
  },
});
