import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { serverUser } from '@visitor-counter/database/embedded/data-folder';
import { freePorts } from '@visitor-counter/test/free-ports';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished } from 'vitest';
import { killProgram, type Place, startProgram } from './owned-process.ts';
import { completed } from './samples.ts';

/** Debian's programs, without its wrappers, which change to the user and the folders of the system's RabbitMQ. */
const programs = '/usr/lib/rabbitmq/bin';
export interface Account {
  readonly kind: 'gateway' | 'unit';
  readonly name: string;
  readonly password: string;
}

/** Three nodes of RabbitMQ on the loopback address, with the files of docs/rabbitmq. */
export interface RabbitMq {
  /** The ports for MQTT. */
  readonly ports: readonly number[];
  /** Ends a node, as a power cut would. */
  kill(node: number): Promise<void>;
  start(node: number): Promise<void>;
}

export async function startRabbitMq(accounts: readonly Account[]): Promise<RabbitMq> {
  const folder = await temporaryFolder();
  const place: Place = { folder, user: await serverUser('') };
  await writeFile(join(folder, '.erlang.cookie'), 'VISITORCOUNTERTEST', { mode: 0o400 });
  await writeFile(join(folder, 'plugins'), '[rabbitmq_mqtt].');
  await chmod(folder, 0o755);
  for (const file of ['', '.erlang.cookie', 'plugins'])
    if (place.user) await chown(join(folder, file), place.user.uid, place.user.gid);
  const [names = 0, ...ports] = await freePorts(7);
  const epmd = startProgram(place, 'epmd', ['-port', String(names), '-address', '127.0.0.1']);
  onTestFinished(() => killProgram(epmd));
  const nodes = [1, 2, 3].map((number) => nodeOf(place, number, names, ports.slice(2 * number - 2)));
  const running: (ChildProcess | undefined)[] = [];
  const start = async (index: number) => {
    const node = nodes[index];
    if (node === undefined) throw new Error(`there is no node ${index}`);
    await mkdir(node.folder, { recursive: true });
    await writeFile(
      join(node.folder, 'rabbitmq.conf'),
      await completed('../rabbitmq/rabbitmq.conf', node.replaced),
    );
    if (place.user) await chown(node.folder, place.user.uid, place.user.gid);
    running[index] = startProgram({ ...node, user: place.user }, `${programs}/rabbitmq-server`, [], node.env);
    await expect.poll(() => isListening(node.port)).toBe(true);
  };
  const kill = (index: number) => killProgram(running[index]);
  onTestFinished(async () => void (await Promise.all(nodes.map((_, index) => kill(index)))));
  /* As the documentation says: nodes that start at the same time may each begin a register of client ids. */
  for (const index of nodes.keys()) await start(index);
  await Promise.all(accounts.map((account) => addAccount(place, nodes[0]?.env ?? {}, account)));
  return { ports: nodes.map(({ port }) => port), kill, start };
}

interface Node {
  readonly folder: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
  /** The values of this node, by the texts in the sample that they replace. */
  readonly replaced: Readonly<Record<string, string>>;
}

function nodeOf(
  { folder }: Place,
  number: number,
  names: number,
  [port = 0, peers]: readonly number[],
): Node {
  const own = join(folder, `node-${number}`);
  const others = [1, 2, 3].map((other) => [`rabbit@counter-${other}`, `rabbit-${other}@localhost`]);
  return {
    folder: own,
    port,
    replaced: { '127.0.0.1:1883': `127.0.0.1:${port}`, ...Object.fromEntries(others) },
    env: {
      HOME: folder,
      ERL_EPMD_PORT: String(names),
      RABBITMQ_NODENAME: `rabbit-${number}@localhost`,
      RABBITMQ_DIST_PORT: String(peers),
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
      RABBITMQ_CONFIG_FILE: join(own, 'rabbitmq.conf'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
      RABBITMQ_MNESIA_BASE: join(own, 'mnesia'),
      RABBITMQ_LOG_BASE: join(own, 'log'),
      RABBITMQ_PID_FILE: join(own, 'pid'),
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isUp = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isUp;
}

async function addAccount(
  { folder, user }: Place,
  env: Readonly<Record<string, string>>,
  { kind, name, password }: Account,
): Promise<void> {
  /* The user may not be able to enter the folder of the script. */
  const script = await readFile(new URL('../../../docs/rabbitmq/add-account.sh', import.meta.url), 'utf8');
  const child = spawn('sh', ['-c', script, 'add-account.sh', kind, name], {
    ...user,
    cwd: folder,
    env: { PATH: `${programs}:${process.env['PATH']}`, LANG: 'C.UTF-8', ...env },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child.stdin.end(password);
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
}
