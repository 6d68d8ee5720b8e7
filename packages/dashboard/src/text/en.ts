import { audit } from './audit.en.ts';
import { conditions } from './conditions.en.ts';
import { correction } from './correction.en.ts';
import { frame } from './frame.en.ts';
import { reports } from './reports.en.ts';
import { settings } from './settings.en.ts';
import { store } from './store.en.ts';
import { stores } from './stores.en.ts';

/* All texts of the page. The other languages are dictionaries of the same shape; each part is a file of its own. */

export const en = {
  ...audit,
  ...frame,
  ...conditions,
  ...correction,
  ...reports,
  ...settings,
  ...store,
  ...stores,
};

export type Text = typeof en;
