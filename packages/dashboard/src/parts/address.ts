/** The part of the page to show. It is the fragment of the URL, so links and the back button work. */
export type Route =
  | { readonly page: 'overview' }
  | { readonly page: 'store'; readonly sid: string }
  | { readonly page: 'devices' }
  | { readonly page: 'wall'; readonly sid?: string };

/** An unknown fragment is the overview. */
export function parseRoute(text: string): Route {
  const [page, id] = text.replace(/^#\/?/, '').split('/');
  const sid = decoded(id);
  if (page === 'stores' && sid) return { page: 'store', sid };
  if (page === 'devices') return { page: 'devices' };
  if (page === 'wall') return sid ? { page: 'wall', sid } : { page: 'wall' };
  return { page: 'overview' };
}

export function hrefOf(to: Route): string {
  if (to.page === 'store') return `#/stores/${encodeURIComponent(to.sid)}`;
  if (to.page === 'wall' && to.sid !== undefined) return `#/wall/${encodeURIComponent(to.sid)}`;
  return to.page === 'overview' ? '#/' : `#/${to.page}`;
}

function decoded(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
