import { Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { socketTo } from './server-socket.ts';

test.each(['mqtt://127.0.0.1:1', 'mqtts://127.0.0.1:1'])(
  'sends small messages to %s without delay',
  async (server) => {
    const setNoDelay = vi.spyOn(Socket.prototype, 'setNoDelay');
    onTestFinished(() => setNoDelay.mockRestore());
    const open = await socketTo(server, undefined);

    const socket = open().on('error', () => {});

    expect(setNoDelay.mock.contexts).toContain(socket);
    expect(setNoDelay).toHaveBeenCalledWith(true);
    socket.destroy();
  },
);
