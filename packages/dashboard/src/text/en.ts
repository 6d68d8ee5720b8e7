import { conditions } from './en/conditions.ts';
import { frame } from './en/frame.ts';
import { store } from './en/store.ts';
import { stores } from './en/stores.ts';

/* All texts of the page. The other languages are dictionaries of the same shape; each part is a file of its own. */

export const en = { ...frame, ...conditions, ...store, ...stores };

export type Text = typeof en;
