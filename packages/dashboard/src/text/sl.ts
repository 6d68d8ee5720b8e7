import type { Text } from './en.ts';
import { conditions } from './sl/conditions.ts';
import { frame } from './sl/frame.ts';
import { store } from './sl/store.ts';
import { stores } from './sl/stores.ts';

export const sl: Text = { ...frame, ...conditions, ...store, ...stores };
