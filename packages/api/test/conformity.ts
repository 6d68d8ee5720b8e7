import type { AnySchema, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { readXml, type XmlElement } from '../src/asmx/soap/read-xml.ts';
import type { JsonObject } from '../src/openapi/document.ts';

/** A request and the whole answer to it. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Throws an error that names what the document does not allow in an answer. */
export type Conform = (exchange: Exchange) => void;

/** Compares answers with an OpenAPI document. A path or method that it does not have must be answered with its 404 or 405. */
export function conformity(document: JsonObject): Conform {
  const validate = validator(document);
  return ({ method, path, status, headers, text }) => {
    const pointer = responsePointer(document, { method, path, status });
    const response = at(document, pointer);
    if (status === 204) return;
    const [mediaType = ''] = (headers.get('content-type') ?? '').split(';');
    const content = at(response, ['content', mediaType]);
    if (content === undefined) throw new Error(`${method} ${path}: no answer ${status} of "${mediaType}"`);
    for (const [name, header] of Object.entries(objectAt(response, ['headers']))) {
      if (at(header, ['required']) === true && !headers.has(name))
        throw new Error(`${status} without ${name}`);
    }
    if (method !== 'HEAD') validate([...pointer, 'content', mediaType, 'schema'], mediaType, text);
  };
}

/** Where the document describes an answer. */
function responsePointer(document: JsonObject, { method, path, status }: Omit<Exchange, 'headers' | 'text'>) {
  const template = templateOf(document, path.replace(/\/service\.asmx(?=\/|$)/i, '/Service.asmx'));
  const item = at(document, ['paths', template]);
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operation = at(item, [verb]);
  if (operation !== undefined)
    return followed(document, ['paths', template, verb, 'responses', String(status)]);
  const expected = item === undefined ? 404 : 405;
  if (status !== expected) throw new Error(`${method} ${path}: ${status} instead of ${expected}`);
  return ['components', 'responses', `Problem${status}`];
}

/** The path in the document that a request's path is one of: `/v1/stores/{sid}` of `/v1/stores/S-1`. */
function templateOf(document: JsonObject, path: string): string {
  const matches = (template: string) =>
    new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
  return Object.keys(objectAt(document, ['paths'])).find(matches) ?? path;
}

/** Where a value is, or the one that it refers to. */
function followed(document: JsonObject, pointer: readonly string[]): readonly string[] {
  const reference = at(document, [...pointer, '$ref']);
  if (typeof reference === 'string') return reference.slice('#/'.length).split('/');
  if (at(document, pointer) === undefined) throw new Error(`the document has no ${pointer.join(' ')}`);
  return pointer;
}

type Validate = (pointer: readonly string[], mediaType: string, text: string) => void;

function validator(document: JsonObject): Validate {
  const json = ajv(document, false);
  const xml = ajv(document, true);
  return (pointer, mediaType, text) => {
    if (/json$/.test(mediaType)) return json(pointer, JSON.parse(text));
    const schema = objectAt(document, pointer);
    if (!/xml$/.test(mediaType)) return json(pointer, text);
    const root = readXml(Buffer.from(text));
    if (schema['type'] === 'string') return json(pointer, text);
    const named = objectAt(document, [...followedSchema(document, pointer), 'xml']);
    if (root.name !== named['name'] || root.namespace !== named['namespace']) {
      throw new Error(`{${root.namespace}}${root.name} instead of ${JSON.stringify(named)}`);
    }
    return xml(pointer, schema['type'] === 'array' ? root.children.map(jsonOf) : jsonOf(root));
  };
}

/** An element as JSON has what it means; all text. */
function jsonOf({ children, text }: XmlElement): unknown {
  if (children.length === 0) return text;
  if (children.every(({ name }) => name === 'i')) return children.map(jsonOf);
  return Object.fromEntries(children.map((child) => [child.name, jsonOf(child)]));
}

/** The schema itself, or the one that it adds to. */
function followedSchema(document: JsonObject, pointer: readonly string[]): readonly string[] {
  const base = at(document, [...pointer, 'allOf', '0', '$ref']);
  return typeof base === 'string' ? base.slice('#/'.length).split('/') : pointer;
}

/** `coerce`: reads text as numbers, as XML needs. */
function ajv(document: JsonObject, coerce: boolean): (pointer: readonly string[], value: unknown) => void {
  const engine = new Ajv2020({ strict: false, coerceTypes: coerce });
  addFormats.default(engine);
  const root: AnySchema = document;
  engine.addSchema(root, 'openapi');
  const compiled = new Map<string, ValidateFunction>();
  return (pointer, value) => {
    const $ref = `openapi#/${pointer.map(segment).join('/')}`;
    const validate = compiled.get($ref) ?? engine.compile({ $ref });
    compiled.set($ref, validate);
    if (!validate(value))
      throw new Error(
        `${$ref}: ${engine.errorsText(validate.errors)}: ${JSON.stringify(value).slice(0, 500)}`,
      );
  };
}

const segment = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

function objectAt(value: unknown, pointer: readonly string[]): JsonObject {
  const found = at(value, pointer);
  return isObject(found) ? found : {};
}

/** The value at a path of keys; undefined if there is none. */
function at(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return value;
  return isObject(value) && Object.hasOwn(value, key) ? at(value[key], rest) : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}
