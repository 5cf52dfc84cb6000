/** Imported first: the modules of the product are loaded with the edits of the mutant in the environment. */
import { registerHooks, type LoadFnOutput } from 'node:module';
import { pathToFileURL } from 'node:url';
import { findAnchors } from './anchors.ts';
import { applyEdit } from './apply-edit.ts';
import { mutants } from './mutants.ts';

const named = process.env['MUSTER_MUTANT'];
const mutant = mutants.find(({ id }) => id === named);
if (mutant === undefined) throw new Error(`there is no mutant called ${named}`);

export const storyOfMutant = mutant.story;
const anchors = findAnchors();
const edits = mutant.edits.map((edit) => {
  const [file] = anchors.get(edit.at) ?? [];
  if (file === undefined) throw new Error(`no file has the anchor ${edit.at}`);
  return { edit, url: pathToFileURL(file).href };
});

function sourceText(source: LoadFnOutput['source']): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source ?? undefined);
}

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    const here = edits.filter((one) => one.url === url);
    if (here.length === 0) return loaded;
    return {
      ...loaded,
      source: here.reduce((text, { edit }) => applyEdit(text, edit), sourceText(loaded.source)),
    };
  },
});
