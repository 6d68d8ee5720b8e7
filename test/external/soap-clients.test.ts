import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { answers, calls, mistakes, servedCompany, withEpochMs } from '@visitor-counter/test/served-company';
import { startedOnce } from '@visitor-counter/test/started-once';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { expect, test } from 'vitest';

const served = startedOnce(servedCompany);

/** Third-party SOAP clients on the WSDL of a real api, over each binding that they support. */
const run = promisify(execFile);

/** A client's command, once it is made for a WSDL and a binding. */
type Make = (wsdl: string, binding: string) => Promise<readonly string[]>;

const zeep: Make = async () => ['/usr/bin/python3', clientFile('zeep-client.py')];
const php: Make = async () => ['php', clientFile('php-client.php')];

/** Mono's `wsdl` generates a proxy and `mcs` compiles it, as .NET does for any ASMX service. */
const mono: Make = async (wsdl, binding) => {
  const folder = await temporaryFolder();
  const [proxy, program] = [join(folder, 'Service.cs'), join(folder, 'client.exe')];
  const libraries = ['System.Web.Services', 'System.Web.Extensions', 'System.EnterpriseServices'];
  await run('wsdl', ['/nologo', `/protocol:${protocols[binding]}`, `/out:${proxy}`, wsdl]);
  await run('mcs', [
    '-nologo',
    `-out:${program}`,
    ...libraries.map((library) => `-r:${library}`),
    proxy,
    clientFile('ProxyClient.cs'),
  ]);
  return ['mono', program];
};

const protocols: Readonly<Record<string, string>> = { Soap: 'SOAP', Soap12: 'SOAP12', HttpPost: 'HttpPost' };

const clients: [client: string, binding: string, make: Make][] = [
  ['zeep', 'Soap', zeep],
  ['zeep', 'Soap12', zeep],
  ['zeep', 'HttpPost', zeep],
  ['PHP SoapClient', 'Soap', php],
  ['PHP SoapClient', 'Soap12', php],
  ['Mono', 'Soap', mono],
  ['Mono', 'Soap12', mono],
  ['Mono', 'HttpPost', mono],
];

test.each(clients)(
  '%s completes all operations and reports faults over %s',
  async (client, binding, make) => {
    const { wsdl, authorization } = served();
    const [program = '', ...args] = await make(wsdl, binding);
    const order = { wsdl, binding, authorization, calls: [...calls, ...mistakes] };

    const outcomes = await outcomesOf(program, args, order);

    expect(outcomes.slice(0, calls.length).map(({ records }) => records?.map(withEpochMs))).toEqual(answers);
    const faults = outcomes.slice(calls.length).map(({ fault }) => fault);
    const expected = expectedFaults[`${client} ${binding}`] ?? expectedFaults[binding];
    expect(faults).toMatchObject(mistakes.map(({ code }) => expected?.(code) ?? {}));
  },
);

/** Over HTTP POST .NET reports only the status of the response, and zeep reports its body. */
const expectedFaults: Readonly<Record<string, (code: string) => object>> = {
  Soap: (code) => ({ code: expect.stringMatching(/\bClient$/), detail: expect.stringContaining(code) }),
  Soap12: (code) => ({ code: expect.stringMatching(/\bSender$/), detail: expect.stringContaining(code) }),
  'Mono HttpPost': () => ({ code: 'WebException' }),
  'zeep HttpPost': (code) => ({ detail: expect.stringContaining(`<code>${code}</code>`) }),
};

const Outcomes = Type.Array(
  Type.Object({
    records: Type.Optional(Type.Array(Type.Object({}))),
    fault: Type.Optional(Type.Object({ code: Type.String(), message: Type.String(), detail: Type.String() })),
  }),
);

async function outcomesOf(program: string, args: readonly string[], order: object) {
  const running = run(program, [...args], { maxBuffer: 2 ** 24 });
  running.child.stdin?.end(JSON.stringify(order));
  return Parse(Outcomes, JSON.parse((await running).stdout));
}

function clientFile(name: string): string {
  return fileURLToPath(new URL(`clients/${name}`, import.meta.url));
}
