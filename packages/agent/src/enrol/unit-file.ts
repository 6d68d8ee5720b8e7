import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parsedJson } from '@visitor-counter/domain/parsed-json';
import { writeAtomically } from '@visitor-counter/service/files';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { Document, isMap, isScalar, isSeq, parseDocument, type YAMLMap } from 'yaml';
import type { GpioLineConfig } from '../config/agent-config.ts';

/** The configuration file that enrolment completes: its comments and all other keys stay. */
export class UnitFile {
  readonly #path: string;
  readonly #document: Document;

  private constructor(path: string, document: Document) {
    this.#path = path;
    this.#document = document;
  }

  /** Opens the file, or begins one. Throws ConfigurationError if it is not YAML with keys and values. */
  static async open(path: string): Promise<UnitFile> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw new ConfigurationError('--config', path, `a file that can be read (${error.code})`);
    });
    const document = parseDocument(text);
    if (document.errors.length > 0 || !(document.contents === null || isMap(document.contents))) {
      throw new ConfigurationError('--config', path, 'YAML with keys and values');
    }
    return new UnitFile(path, document.contents === null ? new Document({}) : document);
  }

  /** The serial of the file's only door, if it has one. */
  get serial(): string | undefined {
    return this.#document.has('doors') ? undefined : serialIn(this.#document.contents);
  }

  /** The path to the keys of the door with this serial. Throws ConfigurationError if the file has other doors only. */
  pathOf(serial: string): readonly (string | number)[] {
    const doors = this.#document.get('doors');
    if (!isSeq(doors)) {
      if (this.serial === undefined || this.serial === serial) return [];
      throw new ConfigurationError('--serial', serial, `${this.serial}, for which ${this.#path} is`);
    }
    const serials = doors.items.map(serialIn);
    const index = serials.indexOf(serial);
    if (index >= 0) return ['doors', index];
    throw new ConfigurationError(
      '--serial',
      serial,
      `the serial of a door in ${this.#path}: ${serials.join(', ')}`,
    );
  }

  /**
   * Writes the settings with which the door with the serial `at` connects; `ca` (PEM) becomes a file in the same folder.
   * Durable when this resolves.
   */
  async complete(
    at: string,
    door: { serial: string; secret: string; server: string; ca: string | undefined },
  ): Promise<void> {
    const { serial, secret, server, ca } = door;
    const path = this.pathOf(at);
    const set = (key: string, value: string) => this.#document.setIn([...path, key], value);
    if (ca !== undefined) await writeAtomically(join(dirname(this.#path), 'ca.pem'), ca);
    this.#document.set('server', server);
    /* The operator has set PUBLIC_MQTT_URL so, and the answer came over TLS. */
    if (URL.parse(server)?.protocol === 'mqtt:') this.#document.set('allowPlainMqtt', true);
    else this.#document.delete('allowPlainMqtt');
    if (ca === undefined) this.#document.delete('ca');
    else this.#document.set('ca', 'ca.pem');
    set('serial', serial);
    set('secret', secret);
    await writeAtomically(this.#path, this.#document.toString());
  }

  /** Writes the lines of the beams of the door with this serial. Durable when this resolves. */
  async setBeams(serial: string, beams: Readonly<Record<'a' | 'b', GpioLineConfig>>): Promise<void> {
    for (const [beam, keys] of Object.entries(beams)) {
      for (const [key, value] of Object.entries(keys))
        this.#document.setIn([...this.pathOf(serial), 'beams', beam, key], value);
    }
    await writeAtomically(this.#path, this.#document.toString());
  }
}

function serialIn(door: unknown): string | undefined {
  const serial = isMap(door) ? (door satisfies YAMLMap).get('serial', true) : undefined;
  return isScalar(serial) && serial.value !== null ? String(serial.value) : undefined;
}

const enrolment = Compile(
  Type.Object({ serial: Type.String(), code: Type.String(), secret: Type.String({ minLength: 16 }) }),
);

/**
 * The secret with which a serial enrols by a code. It is on disk before it is sent, so that after a power cut, or if the
 * command is repeated with the same code, the unit repeats a request that the server knows.
 */
export async function secretFor(config: string, serial: string, code: string): Promise<string> {
  const file = `${config}.enrolment`;
  const begun = parsedJson(await readOrNothing(file));
  const hash = createHash('sha256').update(code).digest('hex');
  if (enrolment.Check(begun) && begun.serial === serial && begun.code === hash) return begun.secret;
  const secret = randomBytes(24).toString('base64url').replace(/^-/, 'A');
  await writeAtomically(file, JSON.stringify({ serial, code: hash, secret }));
  return secret;
}

/** The serial number of a Raspberry Pi, as its firmware reports it; undefined on other machines. */
export async function unitSerial(root = '/proc'): Promise<string | undefined> {
  const tree = await readOrNothing(`${root}/device-tree/serial-number`);
  const cpu = await readOrNothing(`${root}/cpuinfo`);
  return tree.replaceAll('\0', '').trim() || /^Serial\s*:\s*([0-9a-f]+)\s*$/m.exec(cpu)?.[1];
}

function readOrNothing(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
