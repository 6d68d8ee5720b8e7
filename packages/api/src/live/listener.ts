import type { Writable } from 'node:stream';
import type { Caller } from '../v1/caller.ts';

/**
 * One open stream. A reader who does not keep up is sent nothing more until they have read what there is, and
 * then the latest number of each store: what waits for them in memory is one event at most.
 */
export class Listener {
  readonly caller: Caller;
  readonly #response: Writable;
  readonly #latest: () => Buffer;
  #behind = true;

  /** It is sent nothing before `begin`. `latest` gives an event with the number of every store that the reader sees. */
  constructor(caller: Caller, response: Writable, latest: () => Buffer) {
    this.caller = caller;
    this.#response = response;
    this.#latest = latest;
    response.on('drain', () => this.#catchUp());
  }

  /** Tells the number of every store; from then on it is sent what changes. */
  begin(): void {
    this.#catchUp();
  }

  send(event: Buffer): void {
    if (this.#behind || this.#response.destroyed) return;
    this.#behind = !this.#response.write(event);
  }

  end(): void {
    this.#response.end();
  }

  #catchUp(): void {
    if (!this.#behind || this.#response.destroyed) return;
    this.#behind = !this.#response.write(this.#latest());
  }
}
