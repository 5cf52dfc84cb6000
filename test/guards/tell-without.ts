/** One story without one guard, in a process of its own: prints what was found wrong as JSON, or null. */
import { readFileSync } from 'node:fs';
import { registerHooks, type LoadFnOutput } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { drain } from '../drain.ts';
import { guards } from './guards.ts';

const root = join(import.meta.dirname, '..', '..');
const guard = guards.find(({ id }) => id === process.argv[2]);
if (guard === undefined) throw new Error(`there is no guard called ${process.argv[2]}`);

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

// Loaded only now, so that the hook sees them.
const { parseStory } = await import('../../src/sim/stories/parse-story.ts');
const { tellStory } = await import('../../src/sim/stories/tell-story.ts');
const script = readFileSync(join(root, 'scenarios', `${guard.story}.txt`), 'utf8');
const { violation } = await tellStory(parseStory(script), { drain });
console.log(JSON.stringify(violation ?? null));
