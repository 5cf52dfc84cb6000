/** Imported before anything else: modules are loaded without the guard that is named in the environment. */
import { registerHooks, type LoadFnOutput } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { guards } from './guards.ts';

const root = join(import.meta.dirname, '..', '..');
const named = process.env['MUSTER_WITHOUT_GUARD'];
const guard = guards.find(({ id }) => id === named);
if (guard === undefined) throw new Error(`there is no guard called ${named}`);

export const storyOfGuard = guard.story;
const places = guard.places.map((place) => ({ ...place, url: pathToFileURL(join(root, place.file)).href }));

/** As text, or as the bytes of one. */
function sourceText(source: LoadFnOutput['source']): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source ?? undefined);
}

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    const here = places.filter((place) => place.url === url);
    if (here.length === 0) return loaded;
    const source = here.reduce(
      (text, place) => text.replace(place.text, () => place.without),
      sourceText(loaded.source),
    );
    return { ...loaded, source };
  },
});
