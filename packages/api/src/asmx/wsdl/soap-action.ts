/** The action of an operation, as WSDL documents tell it and callers send it. */
export function soapAction(namespace: string, operation: string): string {
  return namespace.endsWith('/') ? namespace + operation : `${namespace}/${operation}`;
}
