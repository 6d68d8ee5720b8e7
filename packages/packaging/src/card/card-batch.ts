import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { isMap, isSeq, parseDocument } from 'yaml';
import { read } from './card-files.ts';

/** The fields of one card in a batch. */
export interface BatchedCard {
  /** The name of its folder. */
  readonly label: string;
  readonly code: string;
  readonly serial?: string;
  readonly unit?: string;
  readonly wifi?: string;
}

const keys = ['label', 'code', 'serial', 'unit', 'wifi'] as const;

/**
 * Reads the file that `admin enrolment create --batch` has written. Throws a ConfigurationError that names a card by its
 * index or label and repeats no other value.
 */
export async function readCards(path: string): Promise<readonly BatchedCard[]> {
  const document = parseDocument(await read('--batch', path));
  const list = document.errors.length === 0 && isMap(document.contents) ? document.get('cards') : undefined;
  if (!isSeq(list) || list.items.length === 0)
    throw new ConfigurationError(
      '--batch',
      path,
      'YAML with a list `cards`, as `admin enrolment create` writes it',
    );
  const labels = new Set<string>();
  return list.items.map((item, index) => {
    const card = cardOf(item);
    const { label = '', code } = card;
    if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(label) || labels.has(label.toLowerCase()))
      throw new ConfigurationError(
        '--batch',
        `cards[${index}]`,
        'a unique label: letters, digits, ".", "_", "-"',
      );
    labels.add(label.toLowerCase());
    if (code === undefined) throw new ConfigurationError('--batch', label, 'a card with a code');
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
