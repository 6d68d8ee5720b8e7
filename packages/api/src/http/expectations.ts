import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { expectationFailed } from '../problems/problems.ts';
import { answerHeaders } from './answer-headers.ts';
import { problemMediaType } from './send-problem.ts';

/**
 * Answers requests with an `Expect` that is not `100-continue`, which Node by itself does without a record.
 * `onProblem` is told the code of what was answered.
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
