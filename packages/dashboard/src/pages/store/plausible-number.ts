/** What is known about the people in a store. */
interface StoreNumbers {
  readonly capacity: number | null;
  /** The most people who were inside at once in the last weeks; 0 if that is not known. */
  readonly highest: number;
}

/** In a small store, some more people than ever before are not a typing error. */
const someMore = 20;

/** Why a number of people inside may be a typing error, such as 2,500 for 250; undefined if it need not be one. */
export function whyImplausible(
  people: number,
  { capacity, highest }: StoreNumbers,
): 'above-capacity' | 'above-highest' | undefined {
  if (capacity !== null && people > 2 * capacity) return 'above-capacity';
  return highest > 0 && people > 1.5 * highest + someMore ? 'above-highest' : undefined;
}
