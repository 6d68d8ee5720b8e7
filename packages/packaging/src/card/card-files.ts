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

/** The fields of one card in a batch. */
interface BatchedCard {
  /** The name of its folder. */
  readonly label: string;
  readonly code: string;
  readonly serial?: string;
  readonly unit?: string;
  readonly wifi?: string;
}

const keys = ['label', 'code', 'serial', 'unit', 'wifi'] as const;

/**
 * Reads a file of cards, each with a label and a code. Throws a ConfigurationError that names a card by its
 * index or label and repeats no other value.
 */
export async function readCards(path: string): Promise<readonly BatchedCard[]> {
  const document = parseDocument(String(await readNamedFile('--batch', path)));
  const list = document.errors.length === 0 && isMap(document.contents) ? document.get('cards') : undefined;
  if (!isSeq(list) || list.items.length === 0)
    throw new ConfigurationError('--batch', path, 'YAML with a list `cards`, each with label and code');
  const labels = new Set<string>();
  const serials = new Set<string>();
  return list.items.map((item, index) => {
    const card = cardOf(item);
    const { label = '', code, serial } = card;
    if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(label) || labels.has(label.toLowerCase()))
      throw new ConfigurationError(
        '--batch',
        `cards[${index}]`,
        'a unique label: letters, digits, ".", "_", "-"',
      );
    labels.add(label.toLowerCase());
    if (code === undefined) throw new ConfigurationError('--batch', label, 'a card with a code');
    if (serial !== undefined && serials.has(nameKey(serial)))
      throw new ConfigurationError('--batch', label, 'a serial number that no other card has');
    if (serial !== undefined) serials.add(nameKey(serial));
    return { ...card, label, code };
  });
}

function cardOf(item: unknown): Partial<Record<(typeof keys)[number], string>> {
  if (!isMap(item)) return {};
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value: unknown = item.get(key);
      return value === undefined || value === null ? [] : [[key, String(value)]];
    }),
  );
}
