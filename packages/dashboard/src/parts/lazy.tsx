import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { text } from '../text/text.ts';
import { Failed } from './loaded.tsx';

/** A page that is loaded when the user first opens it, so that the other pages load sooner. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return (props) => {
    const state = useSignal<'loading' | 'failed' | 'loaded'>(loaded ? 'loaded' : 'loading');
    useEffect(() => {
      load().then(
        (page) => {
          loaded = page;
          state.value = 'loaded';
        },
        () => {
          state.value = 'failed';
        },
      );
    }, []);
    if (state.value === 'loaded' && loaded) {
      const Page = loaded;
      return <Page {...props} />;
    }
    /* After an upgrade of the server the files have other names. */
    if (state.value === 'failed') return <Failed again={() => location.reload()} />;
    return <p class="center">{text.loading}</p>;
  };
}
