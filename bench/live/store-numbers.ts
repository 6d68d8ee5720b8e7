import Type from 'typebox';
import { Compile } from 'typebox/compile';

/** The stores of an event: the index and the occupancy of each. */
export type StoreNumbers = readonly { readonly store: number; readonly occupancy: number }[];

const Data = Compile(
  Type.Object({ stores: Type.Array(Type.Object({ store: Type.String(), occupancy: Type.Integer() })) }),
);

/** How many parsed events are cached: all listeners receive the same events at about the same time. */
const remembered = 100;

/** Parses events of the stream, each text once, so that a thousand listeners cost little more than one. */
export function storeNumbers(): (event: string) => StoreNumbers {
  const known = new Map<string, StoreNumbers>();
  return (event) => {
    const numbers = known.get(event) ?? read(event);
    if (known.size >= remembered) known.clear();
    known.set(event, numbers);
    return numbers;
  };
}

function read(event: string): StoreNumbers {
  const lines = event.split('\n');
  if (!lines.includes('event: occupancy')) return [];
  const data = lines.find((line) => line.startsWith('data: '))?.slice('data: '.length) ?? '';
  return Data.Parse(JSON.parse(data)).stores.map(({ store, occupancy }) => ({
    store: Number(store),
    occupancy,
  }));
}
