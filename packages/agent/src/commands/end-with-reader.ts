/** Ends a command quietly when the reader of its output has closed the pipe, as `head` does; otherwise with exit code 1. */
export function endWithReader({ stdout, exit }: Pick<NodeJS.Process, 'stdout' | 'exit'>): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => exit(error.code === 'EPIPE' ? 0 : 1));
}
