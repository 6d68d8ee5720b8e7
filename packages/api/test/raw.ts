import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Sends bytes on a socket of its own and reads until the server ends it. */
export async function raw(port: number, ...chunks: (string | Buffer)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  for (const chunk of chunks) socket.write(chunk);
  return await text(socket);
}

/** The statuses of all answers on a socket, in their order. */
export function statusesOf(answers: string): number[] {
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}
