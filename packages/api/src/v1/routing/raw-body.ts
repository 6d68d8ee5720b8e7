import { isMapping } from '@visitor-counter/domain/read-value';
import Type, { type TSchema } from 'typebox';
import { CsvError, type CsvTable, readCsv } from '../../formats/read-csv.ts';
import { malformedBody } from '../../problems/problems.ts';

/** A body that its route reads itself. */
export interface RawBody {
  /** Its schema as JSON; undefined if it is text only. */
  readonly json?: TSchema;
  /** The media types in which it may be sent as text, such as `text/csv`, and what the text then is. */
  readonly texts: Readonly<Record<string, string>>;
  /** Bytes. */
  readonly limit: number;
}

/** The body of a request as text of a media type that is not JSON. */
export class TextBody {
  readonly mediaType: string;
  readonly text: string;

  constructor(mediaType: string, text: string) {
    this.mediaType = mediaType;
    this.text = text;
  }
}

/** The fields of a body that was sent as JSON. Throws `malformed_body` for what is no object. */
export function fieldsIn(sent: unknown): Readonly<Record<string, unknown>> {
  if (isMapping(sent)) return sent;
  throw malformedBody('The body must be a JSON object.');
}

/** The lines of a body that was sent as CSV. Throws `malformed_body`. */
export function tableIn({ text }: TextBody): CsvTable {
  try {
    return readCsv(text);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw malformedBody(`The CSV cannot be read: in line ${error.line} ${error.message}.`);
  }
}

/** The media types in which the body of a route may be sent, as text for the reference. */
export function mediaTypesOf(
  { json, texts }: Pick<RawBody, 'json' | 'texts'> = { json: Type.Unknown(), texts: {} },
): string {
  return [...(json ? ['application/json'] : []), ...Object.keys(texts)].join(' or ');
}
