import { dirname, join, resolve } from 'node:path';
import { parseConfig } from '@visitor-counter/agent/config/parse-config';
import { nameKey } from '@visitor-counter/domain/name-key';
import { isSerial } from '@visitor-counter/domain/serial';
import { readNamedFile } from '@visitor-counter/service/files';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { isMap, isSeq, parseDocument } from 'yaml';

const publicKey =
  /^(ssh-(ed25519|rsa)|ecdsa-sha2-nistp\d+|sk-[a-z0-9-]+@openssh\.com) AAAA[A-Za-z0-9+/]+={0,3}( .*)?$/;

/** The public key in a file, one line. Throws ConfigurationError for anything else, above all a private key. */
export async function readPublicKey(path: string): Promise<string> {
  const text = String(await readNamedFile('--ssh-key', path)).trim();
  if (text.includes('PRIVATE KEY')) {
    const expected = `the public key, which ends with .pub; this is the private one, which must never leave your computer`;
    throw new ConfigurationError('--ssh-key', path, expected);
  }
  if (publicKey.test(text)) return text;
  throw new ConfigurationError(
    '--ssh-key',
    path,
    'a file with one public key of OpenSSH, such as id_ed25519.pub',
  );
}

/** The public key of releases in a file, in armour. Throws ConfigurationError for anything else. */
export async function readReleaseKey(path: string): Promise<string> {
  const text = String(await readNamedFile('--release-key', path));
  if (text.includes('-----BEGIN PGP PUBLIC KEY BLOCK-----') && !text.includes('PRIVATE KEY')) return text;
  throw new ConfigurationError('--release-key', path, 'visitor-counter.asc of the releases');
}

/** A unit's file before enrolment. */
interface UnitFileChoice {
  /** The name of the file in messages. */
  readonly path: string;
  readonly text: string;
  readonly serial: string | undefined;
  /** Whether the machine of the unit has no serial number. */
  readonly needsSerial: boolean;
}

/**
 * The text of a unit's file with its serial number, validated as the agent validates it after enrolment. Throws a
 * ConfigurationError that names the option.
 */
export function unitFileFor({ path, text, serial, needsSerial }: UnitFileChoice): string {
  if (serial !== undefined && !isSerial(serial)) {
    throw new ConfigurationError('--serial', serial, '1 to 64 letters, digits, ".", "_", "-"');
  }
  const document = parseDocument(text);
  const file = document.contents;
  if (document.errors.length > 0 || !isMap(file) || !(file.has('beams') || file.has('doors'))) {
    throw new ConfigurationError('--unit', path, 'a unit file: YAML with `beams`, as in docs/installers.md');
  }
  if (serial !== undefined) {
    if (file.has('doors'))
      throw new ConfigurationError('--serial', serial, 'the serials of the doors in --unit');
    document.set('serial', serial);
  } else if (needsSerial && !file.has('serial') && !file.has('doors')) {
    throw new ConfigurationError(
      '--serial',
      undefined,
      'a serial number: only a Raspberry Pi has one of its own',
    );
  }
  try {
    parseConfig(document.toString(), 'before enrolment');
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError('--unit', path, `a unit file that can be used; ${error.message}`);
  }
  return serial === undefined ? text : document.toString();
}

/** What is different on each card of a batch. */
export interface Card {
  /** The folder that its files are written to. */
  readonly folder: string;
  /** Its name in a batch. */
  readonly label?: string;
  readonly code: string;
  /** `name:password`. */
  readonly wifi?: string;
  /** File of the unit's configuration; the default one when left out. */
  readonly unit?: string;
  /** The unit's serial number: that of the unit it replaces, or of a machine without a serial number. */
  readonly serial?: string;
}

const keys = ['code', 'serial', 'unit', 'wifi'] as const;

/**
 * Reads a file of cards, each with a label and a code; each gets a folder in `out`. Files are named relative to this file.
 * Throws a ConfigurationError that names a card by its index or label and repeats no other value.
 */
export async function readCards(path: string, out: string): Promise<Card[]> {
  const document = parseDocument(String(await readNamedFile('--batch', path)));
  const list = document.errors.length === 0 && isMap(document.contents) ? document.get('cards') : undefined;
  if (!isSeq(list) || list.items.length === 0)
    throw new ConfigurationError('--batch', path, 'YAML with a list `cards`, each with label and code');
  const labels = new Set<string>();
  const serials = new Set<string>();
  return list.items.map((item, index) => {
    const value = (key: string) => (isMap(item) ? item.get(key) : undefined);
    const label = String(value('label') ?? '');
    if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(label) || labels.has(label.toLowerCase()))
      throw new ConfigurationError(
        '--batch',
        `cards[${index}]`,
        'a unique label: letters, digits, ".", "_", "-"',
      );
    labels.add(label.toLowerCase());
    const given = keys.filter((key) => value(key) != null).map((key) => [key, String(value(key))]);
    const { code, unit, ...card }: Partial<Card> = Object.fromEntries(given);
    if (code === undefined) throw new ConfigurationError('--batch', label, 'a card with a code');
    if (card.serial !== undefined && serials.has(nameKey(card.serial)))
      throw new ConfigurationError('--batch', label, 'a serial number that no other card has');
    if (card.serial !== undefined) serials.add(nameKey(card.serial));
    const file = unit !== undefined && { unit: resolve(dirname(path), unit) };
    return { ...card, ...file, folder: join(out, label), label, code };
  });
}
