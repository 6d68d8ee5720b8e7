/** A connection that was let in. What is said of it again changes nothing. */
export interface Place {
  /** It has logged in. */
  loggedIn(): void;
  /** It is gone. */
  leave(): void;
}

export interface PlaceLimits {
  /** Connections in all. */
  readonly connections: number;
  /** Connections of one address. */
  readonly connectionsPerAddress: number;
  /** Connections of one address that have not logged in yet. */
  readonly pendingPerAddress: number;
}

interface Counts {
  open: number;
  pending: number;
}

/** Counts connections, in all and by address, and lets in no more than the limits allow. */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #addresses = new Map<string, Counts>();
  #open = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /** How many are taken. */
  get open(): number {
    return this.#open;
  }

  /** A place for a connection from `address`; which limit keeps it out where there is none. */
  enter(address: string): Place | { readonly refused: keyof PlaceLimits } {
    const counts = this.#addresses.get(address) ?? { open: 0, pending: 0 };
    const { connections, connectionsPerAddress, pendingPerAddress } = this.#limits;
    if (this.#open >= connections) return { refused: 'connections' };
    if (counts.open >= connectionsPerAddress) return { refused: 'connectionsPerAddress' };
    if (counts.pending >= pendingPerAddress) return { refused: 'pendingPerAddress' };
    this.#addresses.set(address, counts);
    this.#open += 1;
    counts.open += 1;
    counts.pending += 1;
    const loggedIn = once(() => (counts.pending -= 1));
    const leave = once(() => {
      loggedIn();
      this.#open -= 1;
      counts.open -= 1;
      if (counts.open === 0) this.#addresses.delete(address);
    });
    return { loggedIn, leave };
  }
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    act();
  };
}
