import { audit } from './audit.es.ts';
import { conditions } from './conditions.es.ts';
import { correction } from './correction.es.ts';
import type { Text } from './en.ts';
import { frame } from './frame.es.ts';
import { reports } from './reports.es.ts';
import { settings } from './settings.es.ts';
import { store } from './store.es.ts';
import { stores } from './stores.es.ts';

export const es: Text = {
  ...audit,
  ...frame,
  ...conditions,
  ...correction,
  ...reports,
  ...settings,
  ...store,
  ...stores,
};
