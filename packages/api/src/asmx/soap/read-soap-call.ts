import type { Submission } from '../../http/request-body.ts';
import { problemTable } from '../../problems/problem-table.ts';
import { Problem } from '../../problems/problems.ts';
import type { Operation } from '../operations/operation.ts';
import { fieldsOf, soapAction, type XsdType } from '../operations/operation.ts';
import { operations } from '../operations/operations.ts';
import { readXml, type XmlElement } from './read-xml.ts';
import type { SoapRequest, SoapVersion } from './soap-version.ts';

/** A SOAP message as it came over HTTP. */
interface SoapMessage extends SoapRequest {
  readonly body: Uint8Array;
}

/**
 * The operation that a message calls, and its parameters. The action names the operation; the element in the body does if
 * there is no action, or one that clients make up, such as `*`. Throws the problems of SOAP messages and of reading XML.
 */
export function readSoapCall({ version, action, body }: SoapMessage, namespace: string) {
  const { headers, contents } = openEnvelope(readXml(body), version);
  for (const header of headers) {
    if (mustUnderstand(header, version)) {
      throw new Problem('header_not_understood', {
        detail: `SOAP header ${header.name} was not understood.`,
      });
    }
  }
  const operation = operationOfAction(action, namespace) ?? operationOfContents(contents);
  if (operation === undefined) throw noOperation(action, version, namespace);
  const [content] = contents;
  if (content?.name !== operation.name || content.namespace !== namespace) {
    throw unexpectedMessage(`The body must be <${operation.name} xmlns="${namespace}">.`);
  }
  return { operation, submission: submissionOf(content, operation, namespace) };
}

/** `expected` is a sentence. */
function unexpectedMessage(expected: string): Problem {
  const detail = `Server was unable to read request. ---> ${expected}`;
  return new Problem('malformed_message', { detail });
}

function openEnvelope(root: XmlElement, version: SoapVersion) {
  if (root.name !== 'Envelope') throw unexpectedMessage('The document must be a SOAP envelope.');
  if (root.namespace !== version.envelope) {
    const detail = `Possible SOAP version mismatch: Envelope namespace ${root.namespace} was unexpected. Expecting ${version.envelope}.`;
    throw new Problem('soap_version_mismatch', { detail });
  }
  const part = (name: string) =>
    root.children.find((child) => child.name === name && child.namespace === version.envelope);
  const body = part('Body');
  if (body === undefined) throw unexpectedMessage('The envelope must have a Body.');
  return { headers: part('Header')?.children ?? [], contents: body.children };
}

/**
 * Whether a header is for this service and must be understood; that is an error, because the service understands no
 * headers.
 */
function mustUnderstand(header: XmlElement, version: SoapVersion): boolean {
  const must = header.attribute(version.envelope, 'mustUnderstand')?.trim() ?? '';
  const role = header.attribute(version.envelope, version.roleAttribute)?.trim() ?? '';
  return (must === '1' || must === 'true') && version.ownRoles.includes(role);
}

/** As the WSDL has it, or only the name. */
function operationOfAction(action: string, namespace: string): Operation | undefined {
  return operations.find(({ name }) => action === name || action === soapAction(namespace, name));
}

/** Undefined if the elements of a body name none or several. */
function operationOfContents(contents: readonly XmlElement[]): Operation | undefined {
  const names = new Set(contents.map(({ name }) => name));
  const [operation, ...others] = operations.filter(({ name }) => names.has(name));
  return others.length === 0 ? operation : undefined;
}

function noOperation(action: string, version: SoapVersion, namespace: string): Problem {
  const known = operations.map(({ name }) => soapAction(namespace, name)).join(', ');
  const reason = action === '' ? problemTable.missing_action.detail : version.unknownAction(action);
  const detail = `${reason} The actions are ${known}.`;
  return new Problem(action === '' ? 'missing_action' : 'unknown_action', { detail });
}

/** Parameters are in the service's namespace, or in none, as in some messages that are written by hand. */
function submissionOf(content: XmlElement, operation: Operation, namespace: string): Submission {
  const types = new Map(fieldsOf(operation.input).map(({ name, type }) => [name.toLowerCase(), type]));
  const fields = content.children
    .filter((child) => child.namespace === namespace || child.namespace === '')
    .map((child) => [child.name, contentOf(child, types.get(child.name.toLowerCase()))] as const);
  return { fields };
}

function contentOf(element: XmlElement, type: XsdType | undefined): unknown {
  const nil = element.attribute('http://www.w3.org/2001/XMLSchema-instance', 'nil')?.trim();
  if (nil === 'true' || nil === '1') return null;
  if (element.children.length > 0) return element.children;
  return type === 'float' && float.test(element.text.trim()) ? Number(element.text) : element.text;
}

/** The numbers of `xsd:float`: XML writers may use an exponent, as Java does from 10 million on. */
const float = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
