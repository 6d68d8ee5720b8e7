import { roleNames, type ServerConfiguration } from '@visitor-counter/server/roles';
import { isLoopback, localHost, urlOf } from '@visitor-counter/service/listen';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Finding, foundOr, ok, problem, warning } from './finding.ts';
import type { Installation } from './installation.ts';

/** How long a program of this machine may take to answer (ms). */
const deadline = 4_000;

/** Checks that the server runs, that its roles are ready, and that others can reach it. */
export async function checkService(
  configuration: ServerConfiguration,
  installation: Installation,
): Promise<Finding[]> {
  const answers = await Promise.all(configuration.operators.map(readHealth));
  const states: RoleStates = Object.assign({}, ...answers.map(({ roles }) => roles));
  const refused = answers.map(({ remarks }) => remarks?.['gateway']).find((remark) => remark !== undefined);
  return [
    ...judgeRoles(states, installation),
    ...(refused === undefined ? [] : [judgeLogins(refused, installation)]),
    ...judgeReach(configuration, installation),
  ];
}

/** The state of each role that runs on this machine: `ok`, or why it is not ready. */
type RoleStates = Readonly<Record<string, string>>;

const Health = Compile(
  Type.Object({
    roles: Type.Record(Type.String(), Type.String()),
    remarks: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
);

/** The roles of a process of this machine, and its remarks about them; empty if none answers there. */
async function readHealth({ host, port }: ServerConfiguration['operators'][number]) {
  const none: { roles?: RoleStates; remarks?: RoleStates } = {};
  try {
    const url = `${urlOf('http', localHost(host), port)}/health`;
    const answer: unknown = await (await fetch(url, { signal: AbortSignal.timeout(deadline) })).json();
    return Health.Check(answer) ? answer : none;
  } catch {
    return none;
  }
}

function judgeRoles(states: RoleStates, { start, log }: Installation): Finding[] {
  if (Object.keys(states).length === 0) {
    const advice = `Start it: ${start}. If it ends again: ${log}`;
    return [problem('service', 'the server does not run on this machine', advice)];
  }
  const absent = roleNames.filter((role) => !(role in states)).join(', ');
  return foundOr(ok('service', `all roles are ready: ${roleNames.join(', ')}`), [
    ...Object.entries(states)
      .filter(([, state]) => state !== 'ok')
      .map(([role, state]) =>
        problem('service', `the role ${role} is not ready: ${state}`, `Look into the log: ${log}`),
      ),
    absent !== '' &&
      warning('service', `not on this machine: ${absent}`, 'Start them here or on another machine (--role).'),
  ]);
}

/** `refused` names the units whose logins a gateway refuses. */
function judgeLogins(refused: string, { command }: Installation): Finding {
  const advice = `Unknown: add it again, or disconnect it. Otherwise give the unit a new secret: ${command} device replace SERIAL`;
  return warning('logins', refused, advice);
}

/** Warns if neither units nor browsers of other machines can connect. */
function judgeReach({ gateway, api }: ServerConfiguration, { settings }: Installation): Finding[] {
  const hosts = [gateway?.secure, gateway?.plain, api].flatMap((listener) => listener?.host ?? []);
  if (hosts.length === 0 || !hosts.every(isLoopback)) return [];
  const advice = `Set MQTT_HOST and HTTP_HOST to ::, with certificates, in ${settings}; or put a proxy in front.`;
  return [warning('ports', 'only programs on this machine can connect: no units, no browsers', advice)];
}
