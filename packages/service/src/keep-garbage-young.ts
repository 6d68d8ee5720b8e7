import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the runtime from making objects old at once, so that what is soon forgotten is found young, which costs next to
 * nothing. To be called before anything is done.
 *
 * Of itself the runtime learns, from the first small collections, which places in the code make objects that outlive
 * them, and makes these among the old ones from then on. What waits for a database outlives nearly all of the first
 * ones, and so would every later message be left for the collection of everything.
 */
export function keepGarbageYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
