import { computed, signal } from '@preact/signals';
import { parseRoute } from './address.ts';

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

export const route = computed(() => parseRoute(hash.value));
