import { resolve } from 'node:path';
import {
  type ListedEnrolmentCode,
  listEnrolmentAttempts,
  listEnrolmentCodes,
  revokeEnrolmentCode,
} from '@visitor-counter/database/enrolment/codes';
import { isSerial } from '@visitor-counter/domain/serial';
import { keyHash } from '@visitor-counter/service/certificates';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from '../command/context.ts';
import { OperatorError, withDatabase } from '../command/context.ts';
import {
  codeArgument,
  companyOption,
  jsonOption,
  parseExpires,
  parseWholeNumber,
} from '../command/options.ts';
import { instantText, table } from '../command/text.ts';
import { createBatch } from './create-batch.ts';
import { createEnrolment, type EnrolmentToCreate, findAnchor } from './create-enrolment.ts';

/** Adds the commands about enrolment codes. */
export function addEnrolmentCommands(program: Command, context: CommandContext): void {
  const enrolment = program
    .command('enrolment')
    .description('Create, list and revoke the codes by which units enrol; show the attempts with them.');
  addEnrolmentCreate(enrolment, context);
  addEnrolmentList(enrolment, context);
  addEnrolmentShow(enrolment, context);
  addEnrolmentRevoke(enrolment, context);
}

const help = `
The code is printed only once and not stored. It contains the fingerprint of the server's CA, taken from the file
of certificates that the api, or the proxy in front of it, uses: the last certificate in it, or the public root that
has signed that one. Append a CA of your own to that file, after the certificate that it has signed.

Examples:
  admin enrolment create --store S-1 --uses 10 --expires 7d --certificate /etc/counter/fullchain.pem
  admin enrolment create --replace CU-0001
  admin enrolment create --batch stores.yaml --out cards.yaml

A batch is a YAML file with a list \`cards\`, each with a label and a store (or replace), and company and uses if needed:
the codes of all are written to --out, a new file that only you can read, and not printed. \`package:sd --batch\` makes the
folders of all cards from it.`;

const longest = 90 * 86_400_000;

interface Options extends EnrolmentToCreate {
  readonly certificate?: string;
  readonly batch?: string;
  readonly out?: string;
  readonly json?: true;
}

function addEnrolmentCreate(enrolment: Command, context: CommandContext): void {
  enrolment
    .command('create')
    .description('Create a code by which units enrol.')
    .addOption(companyOption())
    .option('--store <sid>', 'the store of the new devices')
    .option(
      '--replace <serial>',
      'for one unit that replaces the unit of this device and continues its history',
      parseSerial,
    )
    .option('--batch <file.yaml>', 'create a code for each card in this file')
    .option('--out <file.yaml>', 'batch: the new file for the cards with their codes')
    .option('--uses <number>', 'how many units may enrol with it', parseWholeNumber(10_000), 1)
    .addOption(expiresOption())
    .option('--certificate <file.pem>', 'the certificates of the server (default: HTTP_TLS_CERT)')
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async ({ json, certificate, batch, out, ...wanted }: Options) => {
      if (batch === undefined && wanted.store === undefined && wanted.replace === undefined) {
        throw new ConfigurationError('--store', undefined, 'the sid of a store, or --replace');
      }
      const file = certificate ?? context.env['HTTP_TLS_CERT'];
      if (!file)
        throw new ConfigurationError(
          '--certificate',
          undefined,
          'the PEM file with the certificates of the server',
        );
      const anchor = await findAnchor('--certificate', resolve(context.folder, file));
      if (batch !== undefined) {
        const { company, expires } = wanted;
        const made = await createBatch(context, {
          batch,
          out,
          company,
          expires,
          serverKeyHash: keyHash(anchor),
        });
        const result = { cards: made, out };
        return context.print(
          json ? JSON.stringify(result) : `${made} codes created; the cards with their codes are in ${out}`,
        );
      }
      const created = await withDatabase(context.env, (db) => createEnrolment(db, wanted, keyHash(anchor)));
      const server = anchor.subject.replaceAll('\n', ', ');
      if (json) return context.print(JSON.stringify({ ...created, server }));
      const what = created.replaces === null ? `store ${created.store}` : `the place of ${created.replaces}`;
      context.print(`code ${created.id} for ${what} of ${created.company}, ${uses(created.uses)}, \
until ${created.expires} and servers with a certificate of ${server}\n\nShown only this once:\n  ${created.code}`);
    });
}

function uses(count: number): string {
  return count === 1 ? 'one use' : `${count} uses`;
}

const expiresOption = () =>
  new Option('--expires <when>', '12h, 7d, 4w, a date or an instant, at most 90d')
    .argParser(parseSoon)
    .default(parseSoon('7d'), '7d');

function parseSerial(text: string): string {
  if (!isSerial(text)) throw new InvalidArgumentError('Expected a serial number.');
  return text;
}

/** Epoch ms. */
function parseSoon(text: string): number {
  const expires = parseExpires(text);
  if (expires !== null && expires <= Date.now() + longest) return expires;
  throw new InvalidArgumentError('Expected a time within 90 days: 12h, 7d, 4w, 2027-01-31 or an instant.');
}

function addEnrolmentList(enrolment: Command, context: CommandContext): void {
  enrolment
    .command('list')
    .description('List codes: their store or device, uses and expiry. The codes themselves are not stored.')
    .addOption(companyOption())
    .addOption(jsonOption())
    .action(async ({ company, json }: { company?: string; json?: true }) => {
      const now = Date.now();
      const codes = await withDatabase(context.env, ({ kysely }) => listEnrolmentCodes(kysely, company));
      const listed = codes.map((code) => ({ ...code, state: stateOf(code, now) }));
      context.print(json ? JSON.stringify(listed) : codeTable(listed));
    });
}

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
      ...[String(id), company, replaces === null ? `store ${store}` : `place of ${replaces}`, state],
      ...[`${used} of ${uses}`, instantText(createdAt), instantText(expiresAt)],
    ]),
  );
}

function addEnrolmentShow(enrolment: Command, context: CommandContext): void {
  enrolment
    .command('show')
    .description('Show the attempts with a code: time, address, serial number and outcome.')
    .addArgument(codeArgument())
    .addOption(jsonOption())
    .action(async (id: number, { json }: { json?: true }) => {
      const attempts = await withDatabase(context.env, ({ kysely }) => listEnrolmentAttempts(kysely, id));
      if (json) return context.print(JSON.stringify(attempts));
      const rows = attempts.map((one) => [instantText(one.at), one.address, one.serial, one.outcome]);
      context.print(table(['AT', 'FROM', 'SERIAL', 'OUTCOME'], rows));
    });
}

function addEnrolmentRevoke(enrolment: Command, context: CommandContext): void {
  enrolment
    .command('revoke')
    .description(
      'Revoke a code: no unit can enrol with it any more. Units that have enrolled are not affected.',
    )
    .addArgument(codeArgument())
    .addOption(jsonOption())
    .action(async (id: number, { json }: { json?: true }) => {
      const changed = await withDatabase(context.env, ({ kysely }) => revokeEnrolmentCode(kysely, id));
      if (changed === undefined) {
        throw new OperatorError('unknown-code', `there is no code ${id}; see \`admin enrolment list\``);
      }
      if (json) return context.print(JSON.stringify({ id, changed }));
      context.print(`${changed ? 'revoked' : 'was revoked before:'} code ${id}`);
    });
}
