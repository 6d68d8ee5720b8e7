/** Characters of an unfinished line that are kept until the next piece arrives, so that no line fills the memory. */
const longestLine = 10_000;

/**
 * The lines of a text that arrives in pieces, without their ends (LF or CRLF). Each piece gives one batch, so reading costs
 * one step of the event loop per piece, not per line. A line in several pieces may lose characters: see `longestLine`.
 */
export async function* textLines(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = (lines.pop() ?? '').slice(0, longestLine);
    yield lines.map(withoutReturn);
  }
  rest += decoder.decode();
  if (rest !== '') yield [withoutReturn(rest)];
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
