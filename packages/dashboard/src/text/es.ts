import type { Text } from './en.ts';
import { conditions } from './es/conditions.ts';
import { frame } from './es/frame.ts';
import { store } from './es/store.ts';
import { stores } from './es/stores.ts';

export const es: Text = { ...frame, ...conditions, ...store, ...stores };
