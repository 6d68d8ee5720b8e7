import type { Static, TObject } from 'typebox';
import type { Caller, Callers } from '../../access/callers.ts';
import type { RecordDescription } from '../../formats/records.ts';
import type { Batch } from '../../formats/write-records.ts';
import type { Resources } from '../../resources.ts';
import type { Input, Parameters } from './parameters.ts';

/** One call of an operation. */
export interface Call<Values> {
  /** Read but not yet validated. */
  readonly parameters: Parameters<Values>;
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  /** The IP address of the caller. */
  readonly address: string;
  /** Aborted when the caller has disconnected; then the answer stops waiting. */
  readonly signal: AbortSignal;
}

/**
 * An operation of the interface: it yields records, and a format writes them. Its calls are
 * validated by its description, from which OpenAPI and WSDL are made as well.
 *
 * Records have the document's fields in the document's order. They come in batches, some of them empty, so
 * that an answer begins before the last record is known. Errors of the caller are thrown as a Problem
 * before the first batch. A consumer that stops reading early must close the iterator (`return`), which returns
 * the database connection.
 */
export interface Operation extends OperationDescription {
  answer(resources: Resources, call: Call<unknown>): AsyncGenerator<Batch, void>;
}

export interface OperationDescription<Fields extends Input = Input> {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  readonly description: string;
  /** The parameters in the order of the document, `Token` among them where it is the credential. */
  readonly input: Fields;
  readonly record: RecordDescription;
  /** The kind of its credential: `counts` is the parameter Token, `life-signal` the header Authorization. */
  readonly credential: 'counts' | 'life-signal';
}

/** An operation whose parameters are read by its `input`, in every format of a body. */
export function operation<Fields extends Input>(
  description: OperationDescription<Fields>,
  answer: (resources: Resources, call: Call<Static<Fields>>) => AsyncGenerator<Batch, void>,
): Operation {
  return { ...description, answer };
}

/** The credential of the count operations. */
export interface TokenValues {
  readonly CompanyName: string;
  readonly Token: string;
}

/** The caller whose Token a call has. Throws what `Callers.authorize` throws. */
export function accessByToken(callers: Callers, { parameters, address }: Call<TokenValues>): Promise<Caller> {
  return callers.authorize({
    kind: 'counts',
    credential: parameters.text('Token'),
    companyName: parameters.text('CompanyName'),
    address,
  });
}

/** The first example of every property of a schema, in its order. */
export function examplesOf(properties: Readonly<Record<string, object>>): Record<string, unknown> {
  const entries = Object.entries(properties).map(([name, schema]) => {
    const examples = 'examples' in schema && Array.isArray(schema.examples) ? schema.examples : [];
    return [name, examples[0]];
  });
  return Object.fromEntries(entries);
}

/** The simple types of XML Schema that the interface has. */
export type XsdType = 'string' | 'float' | 'boolean' | 'int' | 'dateTime';

export type DescribedField = ReturnType<typeof fieldsOf>[number];

/** The parameters of an operation, or the fields of its records, as XML Schema has them. */
export function fieldsOf({
  properties,
  required = [],
}: Pick<TObject, 'properties'> & { readonly required?: readonly string[] }) {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: xsdType(schema),
    required: required.includes(name),
  }));
}

function xsdType(schema: object): XsdType {
  const type = 'type' in schema ? String(schema.type) : '';
  if ('format' in schema && schema.format === 'date-time') return 'dateTime';
  return xsdTypes[type] ?? 'string';
}

/** By the type of a JSON schema. The interface document declares its only number as `float`. */
const xsdTypes: Readonly<Record<string, XsdType>> = { number: 'float', integer: 'int', boolean: 'boolean' };

/** The action of an operation, as WSDL documents have it and callers send it. */
export function soapAction(namespace: string, operation: string): string {
  return namespace.endsWith('/') ? namespace + operation : `${namespace}/${operation}`;
}
