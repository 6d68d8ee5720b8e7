import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { reasonOf } from '@visitor-counter/service/errors';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { parse, stringify } from 'yaml';
import { type CommandContext, inTransaction } from '../command/context.ts';
import { createEnrolment } from './create-enrolment.ts';

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
export async function createBatch(
  context: CommandContext,
  { batch, out, company, expires, serverKeyHash }: BatchToCreate,
): Promise<number> {
  if (out === undefined)
    throw new ConfigurationError('--out', undefined, 'the file for the cards with their codes');
  const cards = await readBatch(resolve(context.folder, batch));
  const path = resolve(context.folder, out);
  await inTransaction(context, async (trx, author) => {
    const made: object[] = [];
    for (const card of cards) {
      const order = { company, uses: 1, expires, serverKeyHash, ...card, of: { store: card.store } };
      const { code } = await createEnrolment(trx, author, order);
      made.push({ ...card, code });
    }
    /* Before the commit: codes that cannot be written must not exist. A file that exists may contain codes that are in use. */
    const text = stringify({ cards: made }, { lineWidth: 0 });
    await writeFile(path, text, { flag: 'wx', mode: 0o600, flush: true }).catch((error) => {
      const expected = `a new file in a folder that can be written (${reasonOf(error)})`;
      throw new ConfigurationError('--out', path, expected);
    });
  });
  return cards.length;
}

const Text = Type.String({ minLength: 1, maxLength: 200 });

/** A card and the code it needs. Other keys, such as `unit` or `wifi`, are for `package:sd`. */
const Card = Type.Object({
  label: Type.String({ pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$' }),
  company: Type.Optional(Text),
  store: Text,
  uses: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
});

const Batch = Compile(Type.Object({ cards: Type.Array(Card, { minItems: 1, maxItems: 1_000 }) }));

/** Reads the cards of a batch. Throws a ConfigurationError that names the first invalid card. */
async function readBatch(file: string): Promise<readonly Static<typeof Card>[]> {
  const content: unknown = await readFile(file, 'utf8')
    .then((text) => parse(text))
    .catch((error) => {
      const [reason] = reasonOf(error).split('\n');
      throw new ConfigurationError('--batch', file, `a YAML file that can be read (${reason})`);
    });
  if (!Batch.Check(content)) {
    const [first] = Batch.Errors(content);
    const expected = `a list \`cards\` with label and store; ${first?.instancePath}: ${first?.message}`;
    throw new ConfigurationError('--batch', file, expected);
  }
  const labels = content.cards.map(({ label }) => label.toLowerCase());
  const twice = labels.find((label, index) => labels.indexOf(label) < index);
  if (twice !== undefined) throw new ConfigurationError('--batch', twice, 'each label once');
  return content.cards;
}
