import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { countsToken } from '../shared/company.ts';

/** An open live stream. */
export interface Stream {
  /** Resolves when the api ends it, which is expected from now on. */
  ended(): Promise<void>;
  close(): void;
}

/** Opens a stream of all stores; calls back with the text of each event. Rejects if the api refuses. */
export async function openStream(port: number, onEvent: (event: string) => void): Promise<Stream> {
  const headers = { authorization: `Bearer ${countsToken}` };
  const asked = request({ host: '127.0.0.1', port, path: '/v1/live', headers, agent: false });
  asked.end();
  const [answer]: IncomingMessage[] = await once(asked, 'response');
  if (answer?.statusCode !== 200) throw new Error(`the api refused a listener: ${answer?.statusCode}`);
  answer.setEncoding('utf8');
  let rest = '';
  answer.on('data', (text: string) => {
    const events = (rest + text).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) onEvent(event.slice(event.indexOf('event: ')));
  });
  let closed = false;
  const lost = () => {
    if (!closed) throw new Error('the api has ended a stream');
  };
  answer.on('error', () => {});
  answer.on('close', lost);
  const over = new Promise<void>((resolve) => answer.once('close', resolve));
  asked.on('error', () => {});
  return {
    ended: () => {
      closed = true;
      return over;
    },
    close: () => {
      closed = true;
      asked.destroy();
    },
  };
}
