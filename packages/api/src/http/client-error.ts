import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Problem } from '../problems/problem.ts';
import {
  expectationFailed,
  headersTooLarge,
  malformedRequest,
  requestTimeout,
} from '../problems/problems.ts';
import { answerHeaders, overTls, problemMediaType } from './send-problem.ts';

/**
 * Answers requests that Node's HTTP parser rejects, for which there is no request object, and closes the connection.
 * If something was written on it, an answer could land inside another one: then it is closed without one.
 * `onProblem` receives the code of the answer.
 */
export function answerClientError(
  error: Error & { code?: string },
  socket: Socket,
  onProblem: (code: string) => void,
): void {
  if (socket.writable && socket.bytesWritten === 0 && error.code !== 'ECONNRESET') {
    const problem = clientProblem(error.code);
    onProblem(problem.code);
    socket.end(rawAnswer(problem, socket instanceof TLSSocket ? overTls : {}));
    socket.destroySoon();
  } else {
    socket.destroy();
  }
}

function clientProblem(code: string | undefined): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout();
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge();
  return malformedRequest();
}

function rawAnswer({ record }: Problem, more: Readonly<Record<string, string>>): string {
  const body = JSON.stringify(record);
  const headers = {
    ...answerHeaders,
    ...more,
    'content-type': problemMediaType,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${record.status} ${record.title}`, ...lines, '', body].join('\r\n');
}

/**
 * Answers requests with an `Expect` that is not `100-continue`, which Node does without a problem record.
 * `onProblem` receives the code of the answer.
 */
export function answerExpectations(server: Server, onProblem: (code: string) => void): void {
  server.on('checkExpectation', (_request: IncomingMessage, answer: ServerResponse) => {
    const { record, headers, code } = expectationFailed();
    onProblem(code);
    const body = JSON.stringify(record);
    const length = { 'content-length': Buffer.byteLength(body) };
    answer
      .writeHead(record.status, { ...answerHeaders, 'content-type': problemMediaType, ...length, ...headers })
      .end(body);
  });
}
