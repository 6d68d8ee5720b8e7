import type { Operation } from '../operations/operation.ts';

/** The simple types of XML Schema that the interface has. */
export type XsdType = 'string' | 'float' | 'boolean' | 'int' | 'dateTime';

export interface DescribedParameter {
  readonly name: string;
  readonly type: XsdType;
  readonly required: boolean;
}

/** An operation's parameters, as XML Schema has them. */
export function parametersOf({ input }: Pick<Operation, 'input'>): readonly DescribedParameter[] {
  return Object.entries(input.properties).map(([name, schema]) => ({
    name,
    type: xsdType(schema),
    required: input.required.includes(name),
  }));
}

/** The fields of an operation's records, as XML Schema has them. */
export function fieldsOf({
  record,
}: Operation): readonly { readonly name: string; readonly type: XsdType }[] {
  return Object.entries(record.schema.properties).map(([name, schema]) => ({ name, type: xsdType(schema) }));
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
