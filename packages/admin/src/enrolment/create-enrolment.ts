import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Author, type Concerned, recordAudit } from '@visitor-counter/database/audit/record-audit';
import { hashSecret } from '@visitor-counter/database/credentials/secret';
import { type CodeTarget, insertEnrolmentCode } from '@visitor-counter/database/enrolment/codes';
import type { DB } from '@visitor-counter/database/sql/schema';
import {
  fingerprintText,
  makeEnrolmentCode,
  parseEnrolmentCode,
} from '@visitor-counter/domain/enrolment-code';
import { isSerial } from '@visitor-counter/domain/serial';
import { reasonOf } from '@visitor-counter/service/errors';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Kysely, Transaction } from 'kysely';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { parse, stringify } from 'yaml';
import { type CommandContext, inTransaction } from '../command/context.ts';
import { findDevice, findStore } from '../command/find.ts';

interface EnrolmentToCreate {
  readonly company?: string | undefined;
  /** The sid of the store of new devices. */
  readonly store?: string | undefined;
  /** The serial of the device whose unit is replaced. */
  readonly replace?: string | undefined;
  readonly uses: number;
  /** Epoch ms. */
  readonly expires: number;
}

interface CreatedEnrolment {
  readonly id: number;
  readonly code: string;
  readonly company: string;
  readonly store: string | null;
  readonly replaces: string | null;
  readonly uses: number;
  /** RFC 3339 in UTC. */
  readonly expires: string;
}

type Described = Pick<CreatedEnrolment, 'company' | 'store' | 'replaces'>;
type Target = CodeTarget & Described;

/**
 * Makes a code that is bound to the key of a server (its SHA-256).
 * Throws OperatorError if there is no such store or device, or several.
 */
export async function createEnrolment(
  trx: Transaction<DB>,
  author: Author,
  wanted: EnrolmentToCreate,
  serverKeyHash: Uint8Array,
): Promise<CreatedEnrolment> {
  const target = await findTarget(trx, wanted);
  const code = makeEnrolmentCode(randomBytes(13), fingerprintText(serverKeyHash));
  const { uses, expires } = wanted;
  const hash = hashSecret(parseEnrolmentCode(code)?.text ?? '');
  const id = await insertEnrolmentCode(trx, { ...target, hash, uses, expiresAt: expires });
  const until = new Date(expires).toISOString();
  await recordAudit(trx, author, {
    action: 'enrolment code created',
    ...concerned(target),
    details: { code: id, uses, expires: until },
  });
  const { company, store, replaces } = target;
  return { id, code, company, store, replaces, uses, expires: until };
}

/** The purpose of a code, as the subject of an entry in the audit log. */
export function concerned({ company, store, replaces }: Described): Concerned {
  if (replaces !== null) return { company, subject: { kind: 'device', key: replaces } };
  return { company, subject: { kind: 'store', key: store ?? '' } };
}

async function findTarget(db: Kysely<DB>, wanted: EnrolmentToCreate): Promise<Target> {
  const { company, store = '', replace } = wanted;
  if (replace !== undefined) {
    const found = await findDevice(db, replace, company);
    return { ...found, storeId: null, deviceId: found.id, replaces: found.serial };
  }
  const found = await findStore(db, store, company);
  return { ...found, storeId: found.id, deviceId: null, store, replaces: null };
}

interface BatchToCreate {
  readonly batch: string;
  readonly out: string | undefined;
  readonly company: string | undefined;
  /** Epoch ms. */
  readonly expires: number;
  /** SHA-256 of the key by which units know the server. */
  readonly serverKeyHash: Uint8Array;
}

/**
 * Creates a code for each card of a batch, all or none, and writes the cards with their codes to a new file that only
 * its owner can read. Returns their number. Throws ConfigurationError, and OperatorError as `createEnrolment`.
 */
export async function createBatch(context: CommandContext, wanted: BatchToCreate): Promise<number> {
  const { batch, out, company, expires, serverKeyHash } = wanted;
  if (out === undefined)
    throw new ConfigurationError('--out', undefined, 'the file for the cards with their codes');
  const cards = await readBatch(resolve(context.folder, batch));
  const path = resolve(context.folder, out);
  await inTransaction(context, async (trx, author) => {
    const made: (BatchCard & { readonly code: string })[] = [];
    for (const card of cards) {
      const order = { company, uses: 1, expires, ...card };
      const { code } = await createEnrolment(trx, author, order, serverKeyHash);
      made.push({ ...card, code });
    }
    /* Before the commit: codes that cannot be written must not exist. */
    await writeNewFile(path, stringify({ cards: made }, { lineWidth: 0 }));
  });
  return cards.length;
}

const Text = Type.String({ minLength: 1, maxLength: 200 });

/** A card and the code it needs. Other keys, such as `unit` or `serial`, are for `package:sd`. */
const Card = Type.Object({
  label: Type.String({ pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$' }),
  company: Type.Optional(Text),
  store: Type.Optional(Text),
  replace: Type.Optional(Type.String()),
  uses: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
});

type BatchCard = Static<typeof Card>;

const shape = Compile(Type.Object({ cards: Type.Array(Card, { minItems: 1, maxItems: 1_000 }) }));

/** Reads the cards of a batch. Throws a ConfigurationError that names the first invalid card. */
async function readBatch(file: string): Promise<readonly BatchCard[]> {
  const content = await contentOf(file);
  if (!shape.Check(content)) {
    const [first] = shape.Errors(content);
    const expected = `a list \`cards\` with label, store or replace; ${first?.instancePath}: ${first?.message}`;
    throw new ConfigurationError('--batch', file, expected);
  }
  const labels = new Set<string>();
  for (const { label, store, replace, uses } of content.cards) {
    const isOfStore = store !== undefined && replace === undefined;
    const isOfDevice = store === undefined && replace !== undefined && isSerial(replace) && (uses ?? 1) === 1;
    if (!isOfStore && !isOfDevice) {
      const expected = 'a card with `store`, or with `replace`, a serial number and one use';
      throw new ConfigurationError('--batch', label, expected);
    }
    if (labels.has(label.toLowerCase())) throw new ConfigurationError('--batch', label, 'each label once');
    labels.add(label.toLowerCase());
  }
  return content.cards;
}

async function contentOf(file: string): Promise<unknown> {
  try {
    return parse(await readFile(file, 'utf8'));
  } catch (error) {
    const [reason] = reasonOf(error).split('\n');
    throw new ConfigurationError('--batch', file, `a YAML file that can be read (${reason})`);
  }
}

/**
 * Writes a new file that only its owner can read. Throws ConfigurationError, even if the file exists: it may contain codes
 * that are in use.
 */
async function writeNewFile(path: string, content: string): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch(() => {
    throw new ConfigurationError('--out', path, 'a new file in a folder that can be written');
  });
  await file.writeFile(content).finally(() => file.close());
}
