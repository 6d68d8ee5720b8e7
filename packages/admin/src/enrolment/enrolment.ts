import { recordAudit } from '@visitor-counter/database/audit/record-audit';
import {
  type ListedEnrolmentCode,
  listEnrolmentAttempts,
  listEnrolmentCodes,
  revokeEnrolmentCode,
} from '@visitor-counter/database/enrolment/codes';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { type ArgumentSpec, command, group, textOption } from '../command/command.ts';
import { OperatorError, withChanges, withDatabase } from '../command/context.ts';
import { accept, company, parseSerial, parseWholeNumber } from '../command/options.ts';
import { requireKnown } from '../command/require-known.ts';
import { instantText, table } from '../command/text.ts';
import { certificateOption, identityOfServer, soon } from './code-options.ts';
import { createBatch } from './create-batch.ts';
import { concerned, createEnrolment } from './create-enrolment.ts';

const createCommand = command({
  name: 'create',
  description: 'Create a code by which units enrol.',
  options: {
    company,
    store: textOption('<sid>', 'the store of the new devices'),
    replace: {
      value: '<serial>',
      description: 'for one unit that replaces the unit of this device and continues its history',
      parse: parseSerial,
    },
    batch: textOption('<file.yaml>', 'create a code for each card in this file'),
    out: textOption('<file.yaml>', 'batch: the new file for the cards with their codes'),
    uses: {
      value: '<number>',
      description: 'how many units may enrol with it',
      fallback: '1',
      parse: parseWholeNumber(10_000),
    },
    expires: soon,
    certificate: certificateOption,
  },
  help: `
The code is printed only once and not stored. It contains the fingerprint of the server's CA, taken from the file
of certificates that the api, or the proxy in front of it, uses: the last certificate in it, or the public root that
has signed that one. Append a CA of your own to that file, after the certificate that it has signed.

Examples:
  admin enrolment create --store S-1 --uses 10 --expires 7d --certificate /etc/counter/fullchain.pem
  admin enrolment create --replace CU-0001
  admin enrolment create --batch stores.yaml --out cards.yaml

A batch is a YAML file with a list \`cards\`, each with a label and a store (or replace), and company and uses if needed:
the codes of all are written to --out, a new file that only you can read, and not printed. \`package:sd --batch\` makes the
folders of all cards from it.`,
  run: async (context, { certificate, batch, out, ...wanted }) => {
    if (batch === undefined && wanted.store === undefined && wanted.replace === undefined)
      throw new ConfigurationError('--store', undefined, 'the sid of a store, or --replace');
    const { serverKeyHash, server } = await identityOfServer(context, certificate);
    if (batch !== undefined) {
      const cards = await createBatch(context, { ...wanted, batch, out, serverKeyHash });
      const text = `${cards} codes created; the cards with their codes are in ${out}`;
      return { json: { cards, out }, text };
    }
    const created = await withChanges(context, ({ kysely }, author) =>
      kysely.transaction().execute((trx) => createEnrolment(trx, author, wanted, serverKeyHash)),
    );
    const { id, code, uses, expires } = created;
    const text = `code ${id} for ${targetText(created)} of ${created.company}, ${uses === 1 ? 'one use' : `${uses} uses`}, \
until ${expires}, at servers with a certificate of ${server}\n\nShown only this once:\n  ${code}`;
    return { json: { ...created, server }, text };
  },
});

function targetText({ store, replaces }: Pick<ListedEnrolmentCode, 'store' | 'replaces'>): string {
  return replaces === null ? `store ${store}` : `the place of ${replaces}`;
}

const listCommand = command({
  name: 'list',
  description: 'List codes: their store or device, uses and expiry. The codes themselves are not stored.',
  options: { company },
  run: async (context, { company }) => {
    const now = Date.now();
    const codes = await withDatabase(context, async ({ kysely }) => {
      await requireKnown(kysely, { company });
      return await listEnrolmentCodes(kysely, company);
    });
    const listed = codes.map((code) => ({ ...code, state: stateOf(code, now) }));
    return { json: listed, text: codeTable(listed) };
  },
});

type State = 'active' | 'used up' | 'expired' | 'revoked';

function stateOf({ used, uses, expiresAt, revokedAt }: ListedEnrolmentCode, now: number): State {
  if (revokedAt) return 'revoked';
  if (expiresAt.getTime() <= now) return 'expired';
  return used < uses ? 'active' : 'used up';
}

function codeTable(codes: readonly (ListedEnrolmentCode & { state: State })[]): string {
  return table(
    ['ID', 'COMPANY', 'FOR', 'STATE', 'USED', 'CREATED', 'EXPIRES'],
    codes.map(({ id, company, store, replaces, state, used, uses, createdAt, expiresAt }) => [
      String(id),
      company,
      replaces === null ? `store ${store}` : `place of ${replaces}`,
      state,
      `${used} of ${uses}`,
      instantText(createdAt),
      instantText(expiresAt),
    ]),
  );
}

const code: ArgumentSpec<number> = {
  name: '<id>',
  description: 'the number of an enrolment code, as `admin enrolment list` shows it',
  parse: (text) => Number(accept(/^\d{1,9}$/.test(text), text, 'the number of a code')),
};

function unknownCode(id: number): OperatorError {
  return new OperatorError(`there is no code ${id}; see \`admin enrolment list\``);
}

const showCommand = command({
  name: 'show',
  description: 'Show the attempts with a code: time, address, serial number and outcome.',
  argument: code,
  run: async (context, _options, id) => {
    const attempts = await withDatabase(context, async ({ kysely }) => {
      if (!(await listEnrolmentCodes(kysely)).some((one) => one.id === id)) throw unknownCode(id);
      return listEnrolmentAttempts(kysely, id);
    });
    const rows = attempts.map((one) => [instantText(one.at), one.address, one.serial, one.outcome]);
    return { json: attempts, text: table(['AT', 'FROM', 'SERIAL', 'OUTCOME'], rows) };
  },
});

const revokeCommand = command({
  name: 'revoke',
  description:
    'Revoke a code: no unit can enrol with it any more. Units that have enrolled are not affected.',
  argument: code,
  run: async (context, _options, id) => {
    const changed = await withChanges(context, ({ kysely }, author) =>
      kysely.transaction().execute(async (trx) => {
        const changed = await revokeEnrolmentCode(trx, id);
        const [code] = changed ? (await listEnrolmentCodes(trx)).filter((one) => one.id === id) : [];
        if (code)
          await recordAudit(trx, author, {
            action: 'enrolment code revoked',
            ...concerned(code),
            details: { code: id },
          });
        return changed;
      }),
    );
    if (changed === undefined) throw unknownCode(id);
    return { json: { id, changed }, text: `${changed ? 'revoked' : 'was revoked before:'} code ${id}` };
  },
});

export const enrolmentCommands = group(
  'enrolment',
  'Create, list and revoke the codes by which units enrol; show the attempts with them.',
  [createCommand, listCommand, showCommand, revokeCommand],
);
