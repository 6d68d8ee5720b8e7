import { execFile } from 'node:child_process';
import { connect as connectPlain, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { roleNames, type ServerConfiguration } from '@visitor-counter/server/roles';
import { isLoopback, localHost, urlOf } from '@visitor-counter/service/listen';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { judgeLogins } from './check-counting.ts';
import { type Finding, type Installation, ok, problem, warning } from './finding.ts';

const run = promisify(execFile);

/** A port that the server listens on when it runs. */
interface Listener {
  readonly role: 'gateway' | 'api';
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** The setting of the port, or of the address. */
  readonly setting: string;
}

/** The ports for units and callers of a configuration. */
function listenersOf({ gateway, api }: ServerConfiguration): Listener[] {
  const { plain, secure } = gateway ?? {};
  const listeners: (Listener | undefined)[] = [
    secure && { role: 'gateway', isSecure: true, ...secure },
    plain && { role: 'gateway', isSecure: false, ...plain },
    api && {
      role: 'api',
      host: api.host,
      port: api.port,
      isSecure: api.tls !== undefined,
      setting: 'HTTP_PORT',
    },
  ];
  return listeners.filter((listener) => listener !== undefined).filter(({ port }) => port !== 0);
}

/** The state of each role that runs on this machine: `ok`, or why it is not ready. */
type RoleStates = Readonly<Record<string, string>>;

/** What the processes on this machine answer; a role may have a remark too. */
interface Answered {
  readonly roles: RoleStates;
  readonly remarks: Readonly<Record<string, string>>;
}

/** Checks that the server runs, that its roles are ready, and that its ports answer. */
export async function checkService(
  configuration: ServerConfiguration,
  installation: Installation,
): Promise<Finding[]> {
  const { roles: states, remarks } = await readStartedRoles(configuration.operators, installation);
  const listeners = listenersOf(configuration);
  const answers = await Promise.all(
    listeners.map(async (listener) => {
      /* If the role does not run here, any program that accepts the connection is another one, with or without TLS. */
      const isSecure = listener.isSecure && listener.role in states;
      return { listener, answers: await answersAt({ ...listener, isSecure }) };
    }),
  );
  return [
    ...judgeRoles(states, installation),
    ...judgeLogins(remarks['gateway'], installation),
    ...judgePorts(states, answers, installation),
  ];
}

const health = Compile(
  Type.Object({
    status: Type.String(),
    roles: Type.Record(Type.String(), Type.String()),
    remarks: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
);

/** How long a server of this machine may take to answer (ms). */
const deadline = 4_000;

/** How long a server that was just started may take until all its roles have started (ms). */
const longestStart = 20_000;

/** The states after the start of the server, as after an installation or a change of its settings. */
async function readStartedRoles(
  operators: ServerConfiguration['operators'],
  { unit }: Installation,
): Promise<Answered> {
  const end = performance.now() + longestStart;
  for (;;) {
    const answered = await readRoles(operators);
    const values = Object.values(answered.roles);
    const isStarting = values.length === 0 ? await isActive(unit) : values.includes('starting');
    if (!isStarting || performance.now() > end) return answered;
    await setTimeout(250);
  }
}

async function isActive(unit: string | undefined): Promise<boolean> {
  if (unit === undefined) return false;
  return run('systemctl', ['is-active', '--quiet', unit], { timeout: deadline }).then(
    () => true,
    () => false,
  );
}

/** The states of all roles whose processes answer at one of these addresses. */
async function readRoles(operators: ServerConfiguration['operators']): Promise<Answered> {
  const asked = operators.map(async ({ host, port }): Promise<Partial<Answered>> => {
    try {
      const url = `${urlOf('http', localHost(host), port)}/health`;
      const answer: unknown = await (await fetch(url, { signal: AbortSignal.timeout(deadline) })).json();
      return health.Check(answer) ? answer : {};
    } catch {
      return {};
    }
  });
  const answers = await Promise.all(asked);
  return {
    roles: Object.assign({}, ...answers.map(({ roles }) => roles)),
    remarks: Object.assign({}, ...answers.map(({ remarks }) => remarks)),
  };
}

/** Whether something accepts connections there, with TLS if it should. */
function answersAt({ host, port, isSecure }: Listener): Promise<boolean> {
  const address = { host: localHost(host), port, timeout: deadline };
  return new Promise((resolve) => {
    /* The certificate has a check of its own, and is not for the name of this address. */
    const socket: Socket = isSecure
      ? connectTls({ ...address, rejectUnauthorized: false })
      : connectPlain(address);
    const answer = (answers: boolean) => {
      socket.destroy();
      resolve(answers);
    };
    socket.once(isSecure ? 'secureConnect' : 'connect', () => answer(true));
    socket.on('error', () => answer(false));
    socket.once('timeout', () => answer(false));
  });
}

function judgeRoles(states: RoleStates, { start, log }: Installation): Finding[] {
  if (Object.keys(states).length === 0) {
    return [
      problem(
        'service',
        'the server does not run on this machine',
        `Start it: ${start}. If it ends again: ${log}`,
      ),
    ];
  }
  const failing = Object.entries(states).filter(([, state]) => state !== 'ok');
  const found = failing.map(([role, state]) =>
    problem('service', `the role ${role} is not ready: ${state}`, `Look into the log: ${log}`),
  );
  const absent = roleNames.filter((role) => !(role in states));
  if (absent.length > 0) {
    const finding = `not on this machine: ${absent.join(', ')}`;
    found.push(
      warning('service', finding, 'If no other machine runs these roles, start the server without --role.'),
    );
  }
  return found.length > 0 ? found : [ok('service', `all roles are ready: ${roleNames.join(', ')}`)];
}

function judgePorts(
  states: RoleStates,
  ports: readonly { readonly listener: Listener; readonly answers: boolean }[],
  { settings, start }: Installation,
): Finding[] {
  const found = ports.flatMap(({ listener: { role, host, port, setting }, answers }): Finding[] => {
    const at = `${host}:${port} (${role})`;
    if (role in states && !answers) {
      return [
        problem('ports', `${at} does not answer`, `Restart the server, so that it uses ${setting}: ${start}`),
      ];
    }
    if (role in states || !answers) return [];
    const advice = `Find that program (sudo ss -ltnp 'sport = :${port}') and stop it, or set ${setting} in ${settings}.`;
    return [problem('ports', `another program listens on ${at}`, advice)];
  });
  if (ports.length > 0 && ports.every(({ listener }) => isLoopback(listener.host))) {
    const advice = `Set MQTT_HOST and HTTP_HOST to ::, with certificates, in ${settings}; or put a proxy in front.`;
    const finding = 'only programs on this machine can connect: no units, no browsers';
    found.push(warning('ports', finding, advice));
  }
  if (found.length > 0) return found;
  const answering = ports
    .filter(({ answers }) => answers)
    .map(({ listener }) => `${listener.host}:${listener.port} (${listener.role})`);
  return [ok('ports', answering.length > 0 ? answering.join(', ') : 'free')];
}
