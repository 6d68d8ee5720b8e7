import { Socket } from 'node:net';

/** As much as is read of a socket at a time. */
const buffer = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * A connection that a server has accepted with `pauseOnConnect`, read into one buffer for all of them: what a `data`
 * event brings is good until its listeners have returned. Otherwise each read takes 64 KB of memory, shrinks them to
 * the few bytes of a message, and leaves them to be collected.
 *
 * Node does so by its option `onread`, which a server does not hand on to the sockets that it makes: here a second socket
 * is made on the handle of the first. Where Node shows no handle, the connection is read as any other.
 */
export function readInPlace(accepted: Socket & { _handle?: object | null }): Socket {
  const { _handle: handle } = accepted;
  if (!handle) return accepted.resume();
  const callback = (length: number) => socket.emit('data', buffer.subarray(0, length));
  const options = { handle, onread: { buffer, callback } };
  const socket: Socket = new Socket(options as object);
  accepted._handle = null;
  /* The server counts the one that it has made, and waits for its end. */
  socket.once('close', () => accepted.destroy());
  return socket;
}
