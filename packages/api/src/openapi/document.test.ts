import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { xmlNames } from '../../test/xml-names.ts';
import { operations } from '../asmx/operations/operations.ts';
import { openApiDocument } from './document.ts';

const document = openApiDocument({ pathId: 'public', xml: xmlNames }, 'http://127.0.0.1:8080');
const plain = JSON.parse(JSON.stringify(document));

test('is an OpenAPI 3.1 document', async () => {
  const { valid, errors } = await new Validator().validate(plain);
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

test('equals docs/openapi.json, which tools import', async () => {
  const text = `${JSON.stringify(document, undefined, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../../../docs/openapi.json');
});

test('has the operations with the fields of the interface document, in its order', () => {
  const range = ['DateFrom', 'DateTo', 'In'];
  const fields = Object.fromEntries(
    operations.map(({ name, input }) => [name, Object.keys(input.properties)]),
  );
  expect(fields).toEqual({
    GetLifeSignalInactive: ['CompanyName', 'InactiveForHours'],
    GetAllCountsByCompanyForTodayPublic: ['CompanyName', 'Token'],
    GetCountsByShopGroupAndDatePublic: ['Token', 'CompanyName', 'ShopGroupName', ...range],
    GetCountsBySerialNumberAndDatePublic: ['Token', 'CompanyName', 'SerialNumber', ...range],
    GetCountsByCompanyAndDatePublic: ['Token', 'CompanyName', ...range, 'SerialNumber'],
  });
  const paths = Object.keys(plain.paths);
  for (const { name } of operations) expect(paths).toContain(`/public/Service.asmx/${name}`);
});

test('has examples that match its schemas', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(plain, 'openapi');
  const bodies = Object.values<{ post?: Record<string, unknown> }>(plain.paths).flatMap(({ post }) =>
    post ? contents(post) : [],
  );
  expect(bodies.length).toBeGreaterThan(30);
  for (const { schema, examples } of bodies) {
    const rooted = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"openapi#'));
    for (const example of examples) {
      expect(ajv.validate(rooted, example), `${JSON.stringify(example)} ${ajv.errorsText()}`).toBe(true);
    }
  }
});

interface Content {
  readonly schema: unknown;
  readonly example?: unknown;
  readonly examples?: Record<string, { value: unknown }>;
}

/** The schema of each body, of requests and of answers, with all examples of it. */
function contents(operation: Record<string, unknown>) {
  const { requestBody, responses } = JSON.parse(JSON.stringify(operation));
  const all = [requestBody, ...Object.values<{ $ref?: string }>(responses).map(resolved)];
  return all.flatMap(({ content }: { content: Record<string, Content> }) =>
    Object.values(content).map(({ schema, example, examples = {} }) => ({
      schema,
      examples: [
        ...Object.values(examples).map(({ value }) => value),
        ...(example === undefined ? [] : [example]),
      ],
    })),
  );
}

function resolved(response: { $ref?: string }) {
  return response.$ref ? plain.components.responses[response.$ref.split('/').at(-1) ?? ''] : response;
}
