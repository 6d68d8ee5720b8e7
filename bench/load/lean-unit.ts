import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { topic, type UnitChannel } from '@visitor-counter/wire/topics';
import mqtt from 'mqtt-packet';
import { unitSecret, unitSerial } from '../shared/company.ts';
import { PubackReader } from './puback-reader.ts';
import { publishPacket } from './publish-packet.ts';
import { loginDeadline, type SentMessage, type Unit } from './unit.ts';

/** A unit with minimal cost: it only writes and reads packets. */
class LeanUnit implements Unit {
  onAcknowledged: Unit['onAcknowledged'] = () => {};
  onLost: Unit['onLost'] = () => {};
  readonly #socket: Socket;
  readonly #topics: Readonly<Record<UnitChannel, string>>;
  readonly #reader = new PubackReader();
  /** By message id. */
  readonly #sent: SentMessage[] = [];
  readonly #freeIds: number[] = [];

  constructor(socket: Socket, serial: string) {
    this.#socket = socket;
    this.#topics = {
      crossings: topic(serial, 'crossings'),
      heartbeat: topic(serial, 'heartbeat'),
      status: topic(serial, 'status'),
      diagnosis: topic(serial, 'diagnosis'),
    };
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => this.onLost(error));
    socket.on('end', () => this.onLost(new Error('the server has ended the connection')));
  }

  get unacknowledged(): readonly SentMessage[] {
    const free = new Set(this.#freeIds);
    return this.#sent.filter((_, messageId) => !free.has(messageId));
  }

  send(message: SentMessage, payload: string): void {
    const messageId = this.#freeIds.pop() ?? Math.max(1, this.#sent.length);
    this.#sent[messageId] = message;
    this.#socket.write(publishPacket({ topic: this.#topics[message.channel], messageId, payload }));
  }

  end(): void {
    this.onLost = () => {};
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const messageIds = this.#reader.read(chunk);
    this.#freeIds.push(...messageIds);
    this.onAcknowledged(messageIds.flatMap((messageId) => this.#sent[messageId] ?? []));
  }
}

/** Logs a unit in; rejects if the server refuses it, or does not answer. */
export async function connectLeanUnit(port: number, index: number): Promise<Unit> {
  const serial = unitSerial(index);
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const login = { clientId: serial, username: serial, password: Buffer.from(unitSecret(serial)) };
  socket.write(mqtt.generate({ cmd: 'connect', ...login, clean: true, keepalive: 120 }));
  const [answer]: Buffer[] = await once(socket, 'data', { signal: AbortSignal.timeout(loginDeadline) });
  /* CONNACK (section 3.2): type, length, flags, return code. */
  if (answer?.length !== 4 || answer[0] !== 0x20 || answer[3] !== 0) {
    socket.destroy();
    throw new Error(`${serial} could not log in: ${answer?.toString('hex')}`);
  }
  return new LeanUnit(socket, serial);
}
