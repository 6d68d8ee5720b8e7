import { xlsxMediaType } from '@visitor-counter/spreadsheet/workbook';
import type { TObject, TSchema } from 'typebox';
import { csvDescription } from '../formats/formats.ts';
import { routes } from '../v1/routes.ts';
import { fileQuery } from '../v1/routing/list-files.ts';
import { namesInPath, type RouteDescription } from '../v1/routing/route.ts';
import type { JsonObject } from './document.ts';
import { readProblems } from './problem-responses.ts';

const named = namedSchemas(pathsOf(routes));

/** The paths of /v1, and the schemas that they have in common. */
export const readPaths = named.description;
export const readSchemas = named.schemas;

function pathsOf(descriptions: readonly RouteDescription[]): JsonObject {
  const items = Map.groupBy(descriptions, ({ path }) => path.replace(/:(\w+)/g, '{$1}'));
  return Object.fromEntries(
    items
      .entries()
      .map(([path, some]) => [
        path,
        Object.fromEntries(some.map((one) => [one.method.toLowerCase(), pathOperation(one)])),
      ]),
  );
}

function pathOperation(description: RouteDescription): JsonObject {
  const { method, path, summary, kinds, query, status = 200, columns } = description;
  const name = path.replace(/^\/v1/, '').replace(/[/:-]+(\w)/g, (_, letter: string) => letter.toUpperCase());
  const right = description.settings ? ' with the right to change settings' : '';
  const inPath = namesInPath(path).map((found) => ({
    name: found,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return {
    operationId: `${method.toLowerCase()}${name}`,
    tags: ['Read interface'],
    summary,
    ...(kinds.length > 0 && { description: `For credentials of kind ${kinds.join(', ')}${right}.` }),
    security: kinds.length > 0 ? [{ Bearer: [] }, { Session: [] }] : [],
    parameters: [...inPath, ...parametersOf(query), ...(columns ? parametersOf(fileQuery) : [])],
    ...requestBody(description),
    responses: { [status]: success(description), ...readProblems },
  };
}

function requestBody({ body, rawBody }: RouteDescription): JsonObject {
  const json = body ?? rawBody?.json;
  const texts = Object.entries(rawBody?.texts ?? {}).map(([mediaType, description]) => [
    mediaType,
    { schema: { type: 'string', description } },
  ]);
  const content = { ...(json && { 'application/json': { schema: json } }), ...Object.fromEntries(texts) };
  return Object.keys(content).length === 0 ? {} : { requestBody: { required: true, content } };
}

function parametersOf(query: TObject | undefined): JsonObject[] {
  if (query === undefined) return [];
  const required: readonly string[] = query.required ?? [];
  return Object.entries(query.properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function success({ status, answer, columns, mediaType = 'application/json' }: RouteDescription): JsonObject {
  if (status === 204) return { description: 'Done.' };
  const json: { readonly schema: TSchema } = { schema: answer };
  if (columns === undefined) return { description: 'The answer.', content: { [mediaType]: json } };
  const text = {
    type: 'string',
    description: csvDescription,
    pattern: `^\\uFEFF?${columns.map(({ title }) => title).join('[,;]')}\\r\\n`,
  };
  return {
    description: 'The answer; as CSV or XLSX its items, with the next page of CSV in `Link`.',
    content: {
      'application/json': json,
      'text/csv': { schema: text },
      [xlsxMediaType]: { schema: { type: 'string', format: 'binary' } },
    },
  };
}

/** Replaces the schemas that have a `$id` in a description by references, and returns each once under its name. */
function namedSchemas(description: JsonObject): { description: JsonObject; schemas: JsonObject } {
  const schemas: Record<string, unknown> = {};
  const without = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(without);
    if (typeof value !== 'object' || value === null) return value;
    const { $id, ...rest }: JsonObject = { ...value };
    const plain = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, without(inner)]));
    if (typeof $id !== 'string') return plain;
    schemas[$id] = plain;
    return { $ref: `#/components/schemas/${$id}` };
  };
  const found = Object.entries(description).map(([key, value]) => [key, without(value)]);
  return { description: Object.fromEntries(found), schemas };
}
