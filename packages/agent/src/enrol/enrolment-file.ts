import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { writePrivateFile } from './write-private-file.ts';

const Enrolment = Type.Object({
  serial: Type.String(),
  secret: Type.String({ minLength: 16 }),
  /** SHA-256 of the code, once the configuration has the secret. */
  doneWith: Type.Optional(Type.String()),
});

export type Enrolment = Static<typeof Enrolment>;

const enrolment = Compile(Enrolment);

/**
 * The secret with which a serial enrols. It is on disk before it is sent, and stays the same until the configuration has
 * it. So after a power cut, or if the command is repeated with the same code, the unit repeats a request that the server
 * knows.
 */
export async function beginEnrolment(config: string, serial: string, code: string): Promise<Enrolment> {
  const found = await read(config);
  const again = found?.doneWith === undefined || found.doneWith === hashOf(code);
  if (found?.serial === serial && again) return found;
  const begun = { serial, secret: randomBytes(24).toString('base64url').replace(/^-/, 'A') };
  await writePrivateFile(fileOf(config), JSON.stringify(begun));
  return begun;
}

/** Once the configuration has the secret. */
export async function endEnrolment(config: string, begun: Enrolment, code: string): Promise<void> {
  await writePrivateFile(fileOf(config), JSON.stringify({ ...begun, doneWith: hashOf(code) }));
}

function fileOf(config: string): string {
  return `${config}.enrolment`;
}

function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

/** Undefined if there is no file, or none that can be read: then its secret was never sent. */
async function read(config: string): Promise<Enrolment | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(fileOf(config), 'utf8'));
    return enrolment.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
