import { conditions } from './de/conditions.ts';
import { frame } from './de/frame.ts';
import { store } from './de/store.ts';
import { stores } from './de/stores.ts';
import type { Text } from './en.ts';

export const de: Text = { ...frame, ...conditions, ...store, ...stores };
