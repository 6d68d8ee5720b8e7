import type { DestinationStream } from '@visitor-counter/service/logger';

/** Bytes; more than a diagnosis has room for. */
const mostBytes = 128 * 1024;
/** Characters; a longer line is remembered by its length only: a part of it could end within a secret. */
const longestLine = 8 * 1024;

/** The last lines of a log, in bounded memory; `next` receives every line unchanged. */
export class RecentLines implements DestinationStream {
  readonly #next: DestinationStream;
  #lines: { readonly text: string; readonly bytes: number }[] = [];
  #bytes = 0;
  #dropped = 0;

  constructor(next: DestinationStream) {
    this.#next = next;
  }

  /** The oldest first. */
  get lines(): readonly string[] {
    return this.#lines.map(({ text }) => text);
  }

  /** How many older lines are no longer remembered. */
  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    this.#next.write(line);
    const whole = line.trimEnd();
    const text = whole.length > longestLine ? `[a line of ${whole.length} characters]` : whole;
    const bytes = Buffer.byteLength(text);
    this.#lines.push({ text, bytes });
    this.#bytes += bytes;
    for (let oldest = this.#lines[0]; oldest && this.#bytes > mostBytes; oldest = this.#lines[0]) {
      this.#lines.shift();
      this.#bytes -= oldest.bytes;
      this.#dropped += 1;
    }
  }
}
