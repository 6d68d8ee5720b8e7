import { expect, test } from 'vitest';
import { answerArguments } from './command-line.ts';

const help = 'Usage: program\n';

test('runs without arguments, prints the help on request, and names an unknown argument', () => {
  expect(answerArguments([], help)).toBeUndefined();
  expect(answerArguments(['--help'], help)).toEqual({ text: 'Usage: program', exitCode: 0 });
  expect(answerArguments(['-h'], help)).toEqual({ text: 'Usage: program', exitCode: 0 });
  for (const args of [['--port'], ['--help', '--port'], ['--port', '1883']]) {
    expect(answerArguments(args, help)).toMatchObject({
      text: expect.stringContaining('unknown argument "--port"'),
      exitCode: 2,
    });
  }
});
