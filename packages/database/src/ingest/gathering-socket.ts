import { Socket } from 'node:net';

/** A socket that sends together what is written to it in one turn between `cork` and `uncork`. */
export class GatheringSocket extends Socket {
  override uncork(): void {
    process.nextTick(() => super.uncork());
  }
}
