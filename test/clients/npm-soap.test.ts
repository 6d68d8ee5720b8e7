import {
  answers,
  type Call,
  calls,
  mistakes,
  servedCompany,
  withEpochMs,
} from '@visitor-counter/test/served-company';
import { startedOnce } from '@visitor-counter/test/started-once';
import { type Client, createClientAsync } from 'soap';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { expect, test } from 'vitest';

const served = startedOnce(servedCompany);

/** The npm package `soap` with the WSDL of the api. */
const versions = [
  ['SOAP 1.1', false],
  ['SOAP 1.2', true],
] as const;

test.each(versions)('the npm package soap completes all operations by %s', async (_, forceSoap12Headers) => {
  const { wsdl, authorization } = served();
  const client = await createClientAsync(wsdl, { forceSoap12Headers });
  client.addHttpHeader('Authorization', authorization);
  for (const [index, call] of calls.entries()) {
    expect(await recordsOf(client, call), call.operation).toEqual(answers[index]);
  }
});

test.each(versions)('the npm package soap reports faults by %s', async (_, forceSoap12Headers) => {
  const { wsdl } = served();
  const client = await createClientAsync(wsdl, { forceSoap12Headers });
  for (const { code, ...call } of mistakes) {
    const failure = { message: expect.stringContaining(forceSoap12Headers ? 'soap:Sender' : 'soap:Client') };
    await expect(recordsOf(client, call)).rejects.toMatchObject(failure);
    await expect(recordsOf(client, call)).rejects.toThrow(`"code":"${code}"`);
  }
});

const Answer = Type.Tuple([
  Type.Record(
    Type.String(),
    Type.Union([Type.Null(), Type.Record(Type.String(), Type.Array(Type.Object({})))]),
  ),
]);

/** This client returns null for an empty list. */
async function recordsOf(client: Client, { operation, parameters }: Call): Promise<object[]> {
  const method: (parameters: object) => Promise<unknown> = client[`${operation}Async`];
  const [answer] = Parse(Answer, ((await method(parameters)) as unknown[]).slice(0, 1));
  return Object.values(answer[`${operation}Result`] ?? {})
    .flat()
    .map(withEpochMs);
}
