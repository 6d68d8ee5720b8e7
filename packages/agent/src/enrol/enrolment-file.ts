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
 * The secret by which a serial is to enrol: on disk before anybody hears of it, and the same until the configuration
 * has it. So a unit whose power is cut after the server's commit repeats the request that the server knows; so does
 * one that is told to enrol again with the code that it has enrolled with.
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

/** Undefined when there is none, or none that can be read: nobody has heard of its secret then. */
async function read(config: string): Promise<Enrolment | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(fileOf(config), 'utf8'));
    return enrolment.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
