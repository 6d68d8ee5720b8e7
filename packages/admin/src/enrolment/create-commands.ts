import { randomBytes } from 'node:crypto';
import type { Concerned } from '@visitor-counter/database/audit/audit-log';
import { hashSecret } from '@visitor-counter/database/credentials/credentials';
import { insertEnrolmentCode } from '@visitor-counter/database/enrolment/codes';
import type { Transaction } from '@visitor-counter/database/sql/query-builder';
import {
  fingerprintText,
  makeEnrolmentCode,
  parseEnrolmentCode,
} from '@visitor-counter/domain/enrolment-code';
import { wholeNumber } from '@visitor-counter/service/settings/kinds';
import { command, required, textOption } from '../command/command.ts';
import { type CommandContext, change } from '../command/context.ts';
import { findDevice, findStore } from '../command/find.ts';
import { company, serialArgument, time } from '../command/options.ts';
import { identityOfServer } from './server-identity.ts';

/** The latest expiry of a code: 90 days from now (ms). */
const longest = 90 * 86_400_000;

/** When a code expires (epoch ms). */
const soon = {
  value: '<when>',
  description: '12h, 7d, 4w, a date or an instant, at most 90d',
  fallback: '7d',
  kind: time('a time within 90 days: 12h, 7d, 4w, 2027-01-31 or an instant', 0, longest),
};

/** The options of every new code. */
const codeOptions = {
  expires: soon,
  certificate: textOption('<file.pem>', 'the certificates of the server (default: HTTP_TLS_CERT)'),
};

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
    ...codeOptions,
  },
  help: `
The code is printed only once and not stored. It contains the fingerprint of the server's CA, taken from the file
of certificates that the api, or the proxy in front of it, uses: the last certificate in it, or the public root that
has signed that one. Append a CA of your own to that file, after the certificate that it has signed.

Example:
  admin enrolment create --store S-1 --uses 10 --expires 7d --certificate /etc/counter/fullchain.pem`,
  run: async (context, { store, company, uses, ...options }) => {
    const { json, until } = await createCode(context, { ...options, uses }, async (trx) => {
      const found = await findStore(trx, store, company);
      return { storeId: found.id, target: { company: found.company, store, replaces: null } };
    });
    const what = `code ${json.id} for store ${store} of ${json.company}, ${uses === 1 ? 'one use' : `${uses} uses`}`;
    return { json, text: `${what}, ${until}\n\nShown only this once:\n  ${json.code}` };
  },
});

export const replaceCommand = command({
  name: 'replace',
  description: 'Create a code with which another unit replaces the unit of a device.',
  argument: serialArgument,
  options: codeOptions,
  help: `
The device keeps its store, its history and its settings. Enrol the new unit with this code and the same serial number:
the connection of the old one then ends within 5 seconds, and its secret stops working. Until then the old unit counts as
before. Crossings that it has not delivered are delivered from its card: see the installers' guide.

Example:
  admin device replace CU-0001 --certificate /etc/counter/fullchain.pem`,
  run: async (context, options, given) => {
    const { json, until } = await createCode(context, { ...options, uses: 1 }, async (trx) => {
      const { id, serial, company } = await findDevice(trx, given);
      return { deviceId: id, target: { company, store: null, replaces: serial } };
    });
    const text = `a new unit can replace that of ${json.replaces} ${until}. On the new unit:
  sudo counter-agent enrol --server https://ADDRESS --serial ${json.replaces}

It asks for this code, shown only this once:
  ${json.code}`;
    return { json, text };
  },
});

/** What a code is for: a store for new devices, by its sid, or a device whose unit is replaced, by its serial. */
interface Target {
  readonly company: string;
  readonly store: string | null;
  readonly replaces: string | null;
}

interface CodeOptions {
  readonly uses: number;
  /** Epoch ms. */
  readonly expires: number;
  readonly certificate: string | undefined;
}

/** Makes a code for what `find` finds, which may throw a Refused. */
async function createCode(
  context: CommandContext,
  { certificate, uses, expires }: CodeOptions,
  find: (
    trx: Transaction,
  ) => Promise<{ readonly storeId?: number; readonly deviceId?: number; readonly target: Target }>,
) {
  const { serverKeyHash, server } = await identityOfServer(context, certificate);
  const code = makeEnrolmentCode(randomBytes(13), fingerprintText(serverKeyHash));
  const hash = hashSecret(parseEnrolmentCode(code)?.text ?? '');
  const until = new Date(expires).toISOString();
  const json = await change(context, async (trx, record) => {
    const { storeId = null, deviceId = null, target } = await find(trx);
    const id = await insertEnrolmentCode(trx, { storeId, deviceId, hash, uses, expiresAt: expires });
    const details = { code: id, uses, expires: until };
    await record({ action: 'enrolment code created', ...concerned(target), details });
    return { id, code, ...target, uses, expires: until, server };
  });
  return { json, until: `until ${until}, at servers with a certificate of ${server}` };
}

/** The purpose of a code, as the subject of an entry in the audit log. */
export function concerned({ company, store, replaces }: Target): Concerned {
  if (replaces !== null) return { company, subject: { kind: 'device', key: replaces } };
  return { company, subject: { kind: 'store', key: store ?? '' } };
}
