import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** The output of a process and its exit code, when it has ended: -1 if a signal ended it. */
export async function resultOf(
  child: ChildProcess & { readonly stdout: Readable; readonly stderr: Readable },
) {
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { out, err, code: Number(code ?? -1) };
}
