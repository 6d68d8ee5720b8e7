import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { startBroker } from '@visitor-counter/agent/test/test-broker';
import { createAuthority, createCertificate } from '@visitor-counter/test/certificates';

/** A server for an agent, over TLS, that acknowledges everything immediately. */
export interface Sink {
  readonly server: string;
  /** The certificate of the authority, PEM. */
  readonly ca: string;
  /** How many crossings were received, redeliveries included. */
  readonly crossings: number;
  readonly heartbeats: number;
  close(): Promise<void>;
}

export async function startSink(): Promise<Sink> {
  const broker = await startBroker();
  let crossings = 0;
  let heartbeats = 0;
  broker.hold = async ({ topic, payload }) => {
    // The message has one array for each crossing, within one outer array.
    if (topic.endsWith('/crossings')) crossings += payload.split('[').length - 2;
    if (topic.endsWith('/heartbeat')) heartbeats += 1;
    broker.received.length = 0;
  };
  const ca = await createAuthority('company');
  const { port } = new URL(broker.server);
  const tls = createTlsServer(await createCertificate(ca, 'gateway'), (socket) => {
    const plain = connect(Number(port), '127.0.0.1');
    socket.on('error', () => plain.destroy());
    plain.on('error', () => socket.destroy());
    socket.pipe(plain).pipe(socket);
  });
  tls.listen(0, '127.0.0.1');
  await once(tls, 'listening');
  const address = tls.address();
  return {
    server: `mqtts://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    ca: ca.cert,
    get crossings() {
      return crossings;
    },
    get heartbeats() {
      return heartbeats;
    },
    close: async () => {
      await broker.close();
      tls.close();
    },
  };
}

/** The resources that a process has used. */
export interface Taken {
  /** The peak of resident memory (VmHWM), and the present value (MB). */
  readonly peak: number;
  readonly resident: number;
  /** Processor time since the start (s). */
  readonly processor: number;
}

export interface MeasuredAgent {
  taken(): Promise<Taken>;
  stop(): Promise<void>;
}

export interface MeasuredDoor {
  /** The folder of its configuration and journal. */
  readonly folder: string;
  readonly beams: string;
  readonly sink: Sink;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts `command run` with a configuration of one door in `folder`, with these `beams`. */
export async function startMeasured(
  command: readonly [string, ...string[]],
  { folder, beams, sink, env = process.env }: MeasuredDoor,
): Promise<MeasuredAgent> {
  const config = join(folder, 'unit.yaml');
  await writeFile(join(folder, 'ca.pem'), sink.ca);
  const account = `server: ${sink.server}\nca: ca.pem\nserial: CU-1\nsecret: secret\njournal: journal\n`;
  await writeFile(config, `${account}beams: ${beams}\n`);
  const [program, ...args] = command;
  const agent = spawn(program, [...args, 'run', '--config', config], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return {
    taken: () => takenBy(agent),
    stop: async () => {
      if (agent.exitCode !== null || agent.signalCode !== null) return;
      agent.kill();
      await once(agent, 'exit');
    },
  };
}

async function takenBy({ pid }: ChildProcess): Promise<Taken> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const megabytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024;
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14);
  return {
    peak: megabytes('VmHWM'),
    resident: megabytes('VmRSS'),
    processor: (Number(user) + Number(system)) / 100,
  };
}
