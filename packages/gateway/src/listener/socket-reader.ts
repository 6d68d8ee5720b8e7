import type { Readable } from 'node:stream';
import type { Gate } from '../backpressure/backpressure.ts';
import type { Pace } from './rate-limits.ts';

/** Why nothing is read from a client, beside the gate and its pace. */
export type Hold =
  /** It has not been let in yet. */
  | 'login'
  /** The broker has as much of it as it takes. */
  | 'broker'
  /** Too many of its messages are not settled. */
  | 'unsettled'
  /** It does not read what is sent to it. */
  | 'unread'
  /** The gateway is about to end. */
  | 'stopped';

/**
 * Reads a client's socket only while nothing holds it: neither one of the holds, nor the gate, nor the device's
 * pace. What is not read stays in the socket and, when that is full, with the client.
 */
export class Intake {
  readonly #socket: Readable;
  readonly #gate: Gate;
  readonly #holds = new Set<Hold>();
  readonly #look = () => this.#lookAt(Date.now());
  #pace: Pace | undefined;
  #paceTimer: NodeJS.Timeout | undefined;
  #isReading = true;
  #closed = false;

  constructor(socket: Readable, gate: Gate) {
    this.#socket = socket;
    this.#gate = gate;
  }

  get isReading(): boolean {
    return this.#isReading;
  }

  setPace(pace: Pace): void {
    this.#pace = pace;
  }

  /** Counts what was read, and stops reading where that was too much. */
  spend(packets: number, bytes: number): void {
    const now = Date.now();
    this.#pace?.spend(packets, bytes, now);
    this.#lookAt(now);
  }

  hold(reason: Hold): void {
    this.#holds.add(reason);
    this.#look();
  }

  release(reason: Hold): void {
    /* Nearly always nothing holds, and for every message this is asked. */
    if (this.#holds.size > 0 && this.#holds.delete(reason)) this.#look();
  }

  close(): void {
    this.#closed = true;
    this.#gate.leave(this.#look);
    clearTimeout(this.#paceTimer);
  }

  /** Reads on or stops reading, by what holds now (epoch ms). */
  #lookAt(now: number): void {
    if (this.#closed) return;
    const owed = this.#pace?.owes(now) ?? 0;
    const mayRead = this.#holds.size === 0 && this.#gate.isOpen && owed === 0;
    if (mayRead !== this.#isReading) {
      this.#isReading = mayRead;
      if (mayRead) this.#socket.resume();
      else this.#socket.pause();
    }
    if (!this.#gate.isOpen) this.#gate.wait(this.#look);
    if (owed > 0) this.#lookAfter(owed);
  }

  #lookAfter(delay: number): void {
    clearTimeout(this.#paceTimer);
    this.#paceTimer = setTimeout(this.#look, delay);
  }
}
